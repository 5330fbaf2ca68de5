// A strip of one triangle on two joints, two morph targets, a clip, and the drivers that a test asks for.

globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class extends Event {};
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');

/** The quaternion [x, y, z, w] of a rotation about an axis. */
export const turn = ([x, y, z], angle) => [...[x, y, z].map((c) => c * Math.sin(angle / 2)), Math.cos(angle / 2)];

/** A driver of both targets by node 1, at rest in the identity; `change` has the fields that differ. */
export const driverOf = (change) => ({
  node: 3,
  firstTarget: 0,
  joints: [1],
  reference: [[0, 0, 0, 1]],
  kernel: 'gaussian',
  radius: 1,
  centres: [[0, 0, 0, 1], turn([1, 0, 0], 1)],
  coefficients: [
    [0.5, -0.25],
    [2, 1],
  ],
  restWeights: [0.125, 0.25],
  ...change,
});

/** What GLTFLoader makes of the strip; `prefix` stands before the names of its nodes. */
export function loadStrip(drivers, { version = 1, primitives = 1, prefix = '' } = {}) {
  const floats = [
    ...[0, 0, 0, 1, 0, 0, 0, 1, 0], // positions
    ...[0, 0, 0.1, 0, 0, 0, 0, 0, 0], // first morph target
    ...[0, 0, 0, 0, 0, 0.1, 0, 0, 0], // second
    ...[0, 1], // times
    ...[3, 3, 3, 3], // weights that no driver would give
    ...[...turn([1, 0, 0], 0), ...turn([1, 0, 0], 1)], // rotations of node 1
  ];
  const uri = `data:application/octet-stream;base64,${Buffer.from(new Float32Array(floats).buffer).toString('base64')}`;
  const views = [9, 9, 9, 2, 4, 8].map((length, i, all) => ({
    buffer: 0,
    byteOffset: 4 * all.slice(0, i).reduce((sum, n) => sum + n, 0),
    byteLength: 4 * length,
  }));
  const accessor = (bufferView, type, count, more) => ({ bufferView, type, count, componentType: 5126, ...more });
  const box = { min: [0, 0, 0], max: [1, 1, 1] };
  const primitive = { attributes: { POSITION: 0 }, targets: [{ POSITION: 1 }, { POSITION: 2 }] };
  const json = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0, 3] }],
    nodes: [{ name: 'lower', children: [1] }, { name: 'upper' }, { name: 'elsewhere' }, { name: 'strip', mesh: 0 }].map((node) => ({ ...node, name: prefix + node.name })),
    meshes: [{ primitives: Array(primitives).fill(primitive), weights: [0, 0] }],
    buffers: [{ uri, byteLength: 4 * floats.length }],
    bufferViews: views,
    accessors: [
      accessor(0, 'VEC3', 3, box),
      accessor(1, 'VEC3', 3, box),
      accessor(2, 'VEC3', 3, box),
      accessor(3, 'SCALAR', 2, { min: [0], max: [1] }),
      accessor(4, 'SCALAR', 4),
      accessor(5, 'VEC4', 2),
    ],
    animations: [
      {
        samplers: [
          { input: 3, output: 4 },
          { input: 3, output: 5 },
        ],
        channels: [
          { sampler: 0, target: { node: 3, path: 'weights' } },
          { sampler: 1, target: { node: 1, path: 'rotation' } },
        ],
      },
    ],
    extensionsUsed: ['SUPPLE_deformers'],
    extensions: { SUPPLE_deformers: { version, drivers } },
  };
  return new GLTFLoader().parseAsync(JSON.stringify(json), '');
}
