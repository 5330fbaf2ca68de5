// Weights against closed forms, and what happens to clips. Weights are sums of a few doubles: 1e-12 is rounding.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnimationMixer } from 'three';
import { readDrivers } from 'supple-three';
import { driverOf, loadStrip, turn } from './strip.mjs';

const near = (actual, expected) => {
  assert.equal(actual.length, expected.length);
  actual.forEach((value, k) => assert.ok(Math.abs(value - expected[k]) < 1e-12, `${actual} is not ${expected}`));
};

async function weightsAt(driver, rotations) {
  const gltf = await loadStrip([driver]);
  for (const [name, q] of Object.entries(rotations)) gltf.scene.getObjectByName(name).quaternion.fromArray(q);
  readDrivers(gltf).update();
  return gltf.scene.getObjectByName('strip').morphTargetInfluences;
}

test('at its reference a driver gives the rest weights', async () => {
  near(await weightsAt(driverOf(), {}), [0.125, 0.25]);
  const reference = [turn([0, 1, 0], 0.7)];
  near(await weightsAt(driverOf({ reference }), { upper: reference[0].map((c) => -c) }), [0.125, 0.25]);
});

for (const [kernel, phi] of Object.entries({
  exponential: (r) => Math.exp(-r / 0.8),
  gaussian: (r) => Math.exp(-((r / 0.8) ** 2)),
  linear: (r) => r,
}))
  test(`the ${kernel} kernel is a function of the angles to its centres`, async () => {
    const weights = await weightsAt(driverOf({ kernel, radius: 0.8 }), { upper: turn([1, 0, 0], 0.6) });
    near(weights, [0.125 + 0.5 * phi(0.6) + 2 * phi(0.4), 0.25 - 0.25 * phi(0.6) + phi(0.4)]);
  });

test('the cubic kernel adds a polynomial in the rotation vector', async () => {
  const coefficients = [
    [0.5, 0],
    [2, 0],
    [1, 0],
    [10, 0],
    [100, 0],
    [1000, 0],
  ];
  const weights = await weightsAt(driverOf({ kernel: 'cubic', coefficients }), { upper: turn([1, 0, 0], 0.6) });
  near(weights, [0.125 + 0.5 * 0.6 ** 3 + 2 * 0.4 ** 3 + 1 + 10 * 0.6, 0.25]);
});

test('two joints: the distance is that of both angles', async () => {
  const both = {
    joints: [0, 1],
    reference: [
      [0, 0, 0, 1],
      [0, 0, 0, 1],
    ],
    kernel: 'linear',
  };
  const driver = driverOf({ ...both, centres: [[0, 0, 0, 1, 0, 0, 0, 1]], coefficients: [[1, 0]] });
  near(await weightsAt(driver, { lower: turn([1, 0, 0], 0.3), upper: turn([0, 0, 1], 0.4) }), [0.125 + 0.5, 0.25]);
});

test('twist is weighed apart from swing', async () => {
  const driver = driverOf({
    kernel: 'linear',
    twistAxes: [[0, 1, 0]],
    twistWeight: 0.5,
    centres: [[0, 0, 0, 1]],
    coefficients: [[1, 0]],
  });
  near(await weightsAt(driver, { upper: turn([0, 1, 0], 0.8) }), [0.125 + 0.4, 0.25]);
  near(await weightsAt(driver, { upper: turn([1, 0, 0], 0.8) }), [0.125 + 0.8, 0.25]);
});

test('weights stay within their limits, each of which may be missing', async () => {
  const pose = { upper: turn([1, 0, 0], 0.6) };
  const [first, second] = [...(await weightsAt(driverOf(), pose))];
  assert.ok(first > 1.5 && second > 0.5);
  near(await weightsAt(driverOf({ least: [0, 0], most: [1.5, 9] }), pose), [1.5, second]);
  near(await weightsAt(driverOf({ most: [0.125, 0.25] }), pose), [0.125, 0.25]);
  const down = driverOf({ coefficients: [[-0.5, 0.25], [-2, -1]] });
  near(await weightsAt({ ...down, least: [-1, 0.25] }, pose), [-1, 0.25]);
  near(await weightsAt({ ...down, least: [0.125, 0.25] }, {}), [0.125, 0.25]);
});

test('names as GLTFLoader changes them do not matter', async () => {
  const gltf = await loadStrip([driverOf()], { prefix: 'mixamorig:a.b/' });
  assert.equal(gltf.scene.getObjectByName('mixamorig:a.b/upper'), undefined, 'it does not change them any more');
  gltf.scene.getObjectByName('mixamorigabupper').quaternion.fromArray(turn([1, 0, 0], 0.6));
  const drivers = readDrivers(gltf);
  drivers.update();
  near(gltf.scene.getObjectByName('mixamorigabstrip').morphTargetInfluences, await weightsAt(driverOf(), { upper: turn([1, 0, 0], 0.6) }));
  assert.deepEqual(
    drivers.withoutDrivenTracks(gltf.animations[0]).tracks.map((track) => track.name),
    ['mixamorigabupper.quaternion'],
  );
});

test('every primitive of the mesh follows', async () => {
  const gltf = await loadStrip([driverOf()], { primitives: 2 });
  readDrivers(gltf).update();
  const meshes = [];
  gltf.scene.traverse((object) => object.isMesh && meshes.push(object));
  assert.equal(meshes.length, 2);
  for (const mesh of meshes) near(mesh.morphTargetInfluences, [0.125, 0.25]);
});

test('baked weights of wholly driven meshes leave the clip, joints stay', async () => {
  const gltf = await loadStrip([driverOf()]);
  const clip = readDrivers(gltf).withoutDrivenTracks(gltf.animations[0]);
  assert.deepEqual(
    clip.tracks.map((track) => track.name),
    ['upper.quaternion'],
  );
  assert.equal(gltf.animations[0].tracks.length, 2, 'the clip of the file is as it was');
});

test('where some targets are not driven the track stays and the drivers have the last word', async () => {
  const gltf = await loadStrip([driverOf({ restWeights: [0.125], coefficients: [[0], [0]] })]);
  const drivers = readDrivers(gltf);
  const mixer = new AnimationMixer(gltf.scene);
  mixer.clipAction(drivers.withoutDrivenTracks(gltf.animations[0])).play();
  mixer.setTime(0.5);
  drivers.update();
  near(gltf.scene.getObjectByName('strip').morphTargetInfluences, [0.125, 3]);
});

test('nothing to drive: no extension, a newer version, nodes of another scene', async () => {
  for (const gltf of [
    await loadStrip([driverOf()], { version: 2 }),
    await loadStrip([driverOf({ joints: [2] })]),
    await loadStrip([]),
    await loadStrip(undefined), // deformers of other kinds alone
  ]) {
    const drivers = readDrivers(gltf);
    assert.equal(drivers.size, 0);
    drivers.update();
    assert.equal(drivers.withoutDrivenTracks(gltf.animations[0]).tracks.length, 2);
  }
});
