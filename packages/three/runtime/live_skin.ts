// One character on stage. Bones are read from three.js; morph weights and flesh are written back to the stock SkinnedMesh, and
// skin that neither can show is computed and drawn in its place.
import { BufferAttribute, BufferGeometry, type AnimationClip, Mesh, type Object3D } from 'three';
import type { Character, Layers, PartTables } from '../../../apps/studio/engine/engine.ts';

const local = 10; // numbers of a joint: translation, rotation, scale

interface Drawn {
  mesh: Mesh; // as three.js loaded it
  computed: Mesh | null; // as the engine has it; made when it is first shown
}

/** The meshes of a node, primitive by primitive. */
function meshesOf(node: Object3D, isNode: (object: Object3D) => boolean): Mesh[] {
  return [node, ...node.children.filter((child) => !isNode(child))].filter((object): object is Mesh => (object as Mesh).isMesh);
}

export class LiveSkin {
  /** What is shown of the skin. */
  readonly layers: Layers = { corrections: true, modes: Infinity, smoothing: true, flesh: true };
  /** Whether skin flows with the bones and keeps its volume, muscles swinging under it, instead of being blended. */
  kinodynamic = false;
  private readonly character: Character;
  private readonly joints: (Object3D | undefined)[]; // of the character's joints
  private readonly parts: (Drawn | undefined)[];
  private flowing = false; // in the last frame
  private moved = false; // flesh has a past

  /** Made by SuppleEngine.attach(). `open` opens the file once more: every clone swings by itself. */
  constructor(
    private readonly open: () => Character,
    /** The scene that it is part of. */
    readonly root: Object3D,
    private readonly nodes: ReadonlyMap<number, Object3D>,
  ) {
    this.character = open();
    const known = new Set(nodes.values());
    this.joints = this.character.joints.map(({ node }) => nodes.get(node));
    this.parts = this.character.parts.map(({ node, primitive }) => {
      const object = nodes.get(node);
      const mesh = object && meshesOf(object, (child) => known.has(child))[primitive];
      return mesh && { mesh, computed: null };
    });
  }

  /** The skin of `SkeletonUtils.clone(gltf.scene)`: it moves by its own bones. */
  clone(root: Object3D): LiveSkin {
    const pairs = new Map<Object3D, Object3D>();
    const pair = (a: Object3D, b: Object3D) => {
      pairs.set(a, b);
      a.children.forEach((child, i) => b.children[i] && pair(child, b.children[i]));
    };
    pair(this.root, root);
    // What the engine draws of this one is no part of that one.
    this.each((_, { mesh, computed }) => {
      if (!computed) return;
      pairs.get(computed)?.removeFromParent();
      const own = pairs.get(mesh);
      if (own) own.layers.mask = computed.layers.mask;
    });
    const nodes = [...this.nodes].flatMap(([number, object]): [number, Object3D][] => (pairs.has(object) ? [[number, pairs.get(object)!]] : []));
    const result = new LiveSkin(this.open, root, new Map(nodes));
    Object.assign(result.layers, this.layers);
    result.kinodynamic = this.kinodynamic;
    return result;
  }

  /** What the file has beyond bones, in words; empty where it is a plain one. */
  get deformers(): string[] {
    const { drivers, poseSpace, wrinkles, flesh, kinodynamics, parts } = this.character;
    const found: [string, boolean][] = [
      ['drivers', drivers.length > 0], ['pose space', poseSpace !== null], ['wrinkles', wrinkles > 0], ['flesh', flesh.elements.length > 0],
      ['delta mush', parts.some(({ smoothed }) => smoothed)], ['muscles', kinodynamics.muscles.length > 0],
    ];
    return found.filter(([, has]) => has).map(([name]) => name);
  }

  /** A copy without tracks of what the engine sets: morph weights of driven meshes, and bones that carry flesh. */
  withoutDrivenTracks(clip: AnimationClip): AnimationClip {
    const { character } = this;
    const driven = new Set<Object3D | undefined>();
    character.parts.forEach(({ targetCount }, p) => targetCount > 0 && (character.drivers.length > 0 || character.poseSpace?.part === p) && driven.add(this.parts[p]?.mesh));
    const names = new Set([...driven].map((mesh) => `${mesh?.name || mesh?.uuid}.morphTargetInfluences`));
    const copy = clip.clone();
    copy.tracks = copy.tracks.filter((track) => !names.has(track.name));
    return copy;
  }

  /** After the mixer, or whatever else moved the bones; before rendering. `seconds`: since the last time. */
  update(seconds: number): void {
    const { character, joints, kinodynamic } = this;
    const pose = character.poseState;
    joints.forEach((object, j) => {
      if (!object) return;
      object.position.toArray(pose.locals, local * j);
      object.quaternion.toArray(pose.locals, local * j + 3);
      object.scale.toArray(pose.locals, local * j + 7);
    });
    this.each((part, { mesh }) => {
      const given = mesh.morphTargetInfluences?.slice(0, part.targetCount);
      if (given) pose.weights.set(given, part.firstMorphWeight);
    });
    character.poseState = pose;
    if (this.moved) character.flesh.swing(seconds);
    else character.flesh.settle();
    character.update(this.layers);
    if (kinodynamic && this.flowing && this.moved) character.kinodynamics.animate(seconds);
    else if (kinodynamic) character.kinodynamics.settle();
    this.moved = true;
    this.flowing = kinodynamic;
    this.show(pose.locals);
  }

  private each(use: (part: PartTables, drawn: Drawn, p: number) => void): void {
    this.parts.forEach((drawn, p) => drawn && use(this.character.parts[p], drawn, p));
  }

  private show(sent: Float32Array): void {
    const { character, kinodynamic } = this;
    const { locals } = character.poseState;
    // Bones that carry flesh are the engine's.
    this.joints.forEach((object, j) => {
      if (!object || !locals.subarray(local * j, local * (j + 1)).some((x, i) => x !== sent[local * j + i])) return;
      object.position.fromArray(locals, local * j);
      object.quaternion.fromArray(locals, local * j + 3);
      object.scale.fromArray(locals, local * j + 7);
    });
    const weights = character.morphWeights().slice();
    this.each((part, drawn, p) => {
      const influences = drawn.mesh.morphTargetInfluences;
      if (influences) for (let t = 0; t < part.targetCount; ++t) influences[t] = weights[part.firstMorphWeight + t];
      const flows = kinodynamic && character.kinodynamics.flowing[p];
      const surface = flows ? character.kinodynamics.evaluate(p) : character.isComputed(p) ? character.evaluate(p, 'linear') : null;
      // A mesh that is not drawn keeps its place in the scene: layers hide it, and what hangs below it is seen.
      if (surface) this.write(part, drawn, surface.positions, surface.normals);
      if (drawn.computed) {
        drawn.computed.visible = surface !== null;
        drawn.mesh.layers.mask = surface ? 0 : drawn.computed.layers.mask;
      }
    });
  }

  private write(part: PartTables, drawn: Drawn, positions: Float32Array, normals: Float32Array): void {
    drawn.computed ??= this.computedMesh(part, drawn.mesh);
    for (const [name, numbers] of [['position', positions], ['normal', normals]] as const) {
      const attribute = drawn.computed.geometry.getAttribute(name) as BufferAttribute;
      attribute.array.set(numbers);
      attribute.needsUpdate = true;
    }
  }

  /** A plain mesh with the looks of a skinned one, in the space of the whole file. */
  private computedMesh(part: PartTables, mesh: Mesh): Mesh {
    const geometry = new BufferGeometry();
    for (const name of ['position', 'normal']) geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * part.vertexCount), 3));
    for (const [name, attribute] of Object.entries(mesh.geometry.attributes))
      if (/^(uv\d*|color)$/.test(name) && attribute.count === part.vertexCount) geometry.setAttribute(name, attribute);
    geometry.setIndex(new BufferAttribute(part.indices, 1));
    const result = new Mesh(geometry, mesh.material);
    result.name = mesh.name && `${mesh.name} (Supple)`;
    result.frustumCulled = false; // it is never where its bounds were
    result.castShadow = mesh.castShadow;
    result.receiveShadow = mesh.receiveShadow;
    result.layers.mask = mesh.layers.mask;
    this.root.add(result);
    return result;
  }

  /** Gives the engine's memory back; the meshes of three.js are shown again as they were. */
  dispose(): void {
    this.each((_, drawn) => {
      if (!drawn.computed) return;
      drawn.mesh.layers.mask = drawn.computed.layers.mask;
      drawn.computed.removeFromParent();
      drawn.computed.geometry.dispose();
      drawn.computed = null;
    });
    this.character.dispose();
  }
}
