// A model on stage in one way of skinning it. Several figures of a model share its geometry and large tables.
import * as THREE from 'three';
import { GpuSkin, type SkinFrame } from '../../../packages/three/src/gpu_skin';
import type { Blend, Surface } from '../engine/engine';
import { ColourRange, valueAttributes } from './colour_map';
import { shadowLayer } from './ground';
import type { Model, ModelPart } from './model';
import type { Values } from './worker/messages';

/** Vertices with the material of the file, and the same ones with colours of a map. */
interface Look {
  geometry: THREE.BufferGeometry;
  own: THREE.Material;
  mapped: THREE.BufferGeometry;
  coloured: THREE.Material;
}
/** What casts the shadow of a part: its shape alone, which costs less than its material. */
interface Shadow {
  mesh: THREE.Mesh;
  blended: THREE.Material;
  computed: THREE.Material;
}
interface Drawn {
  mesh: THREE.Mesh;
  shadow: Shadow | null;
  skin: GpuSkin;
  blended: Look; // the vertex shader moves it away from its rest shape
  computed: Look | null; // as the engine computes it; made when it is first shown
  range: ColourRange;
  isComputed: boolean;
  hasColours: boolean;
}

/** Attributes by reference: disposing of the copy does not free what the other still draws. */
function sharing(source: THREE.BufferGeometry, names: string[]): THREE.BufferGeometry {
  const geometry = new THREE.BufferGeometry();
  for (const name of names) if (source.hasAttribute(name)) geometry.setAttribute(name, source.getAttribute(name));
  geometry.boundingSphere = source.boundingSphere; // looked at by nobody, but found by three.js where it is missing
  return geometry.setIndex(source.index);
}

function look({ material }: ModelPart, geometry: THREE.BufferGeometry): Look {
  const coloured = new THREE.MeshStandardMaterial({ roughness: 0.9, metalness: 0, side: material.side });
  return { geometry, own: material.clone(), mapped: sharing(geometry, ['position', 'normal']), coloured };
}

/** With places and normals of its own. */
function moving({ geometry, tables }: ModelPart): THREE.BufferGeometry {
  const result = sharing(geometry, Object.keys(geometry.attributes));
  for (const name of ['position', 'normal'])
    result.setAttribute(name, new THREE.BufferAttribute(new Float32Array(3 * tables.vertexCount), 3).setUsage(THREE.DynamicDrawUsage));
  return result;
}

/** Takes the array over: it came for this. */
function put(geometry: THREE.BufferGeometry, name: string, numbers: Float32Array): void {
  const attribute = geometry.getAttribute(name) as THREE.BufferAttribute;
  attribute.array = numbers;
  attribute.needsUpdate = true;
}

function shadowOf(geometry: THREE.BufferGeometry, skin: GpuSkin): Shadow {
  const blended = skin.apply(new THREE.MeshBasicMaterial());
  const mesh = new THREE.Mesh(geometry, blended);
  mesh.frustumCulled = false;
  mesh.layers.set(shadowLayer);
  return { mesh, blended, computed: new THREE.MeshBasicMaterial() };
}

export class Figure {
  readonly group = new THREE.Group();
  private readonly drawn: Drawn[];
  private translucent = false;
  private wireframe = false;
  private readonly compiled = new Set<THREE.Material>();

  /** `view`: the layer that only this figure's camera sees. `casts`: a shadow on the ground. */
  constructor(
    private readonly model: Model,
    view: number,
    casts = false,
  ) {
    this.drawn = model.parts.map((part) => {
      const skin = new GpuSkin(part.shared);
      const blended = look(part, sharing(part.geometry, Object.keys(part.geometry.attributes)));
      skin.apply(blended.own);
      const range = new ColourRange();
      range.apply(skin.apply(blended.coloured));
      const mesh = new THREE.Mesh(blended.geometry, blended.own);
      mesh.frustumCulled = false; // its bounds are those of the rest shape
      mesh.layers.set(view);
      this.group.add(mesh);
      const shadow = casts ? shadowOf(blended.geometry, skin) : null;
      if (shadow) this.group.add(shadow.mesh);
      return { mesh, shadow, skin, blended, computed: null, range, isComputed: false, hasColours: false };
    });
  }

  /** What the vertex shader needs of the character's last update: copies, which hold. */
  frameOf(blend: Blend): SkinFrame[] {
    const { character } = this.model;
    const all = character.morphWeights().slice();
    return this.model.parts.map(({ tables: { firstMorphWeight, targetCount } }, p) => {
      const { matrices, stretch, scaled, blend: own } = character.palette(p, blend);
      return {
        palette: matrices.slice(),
        dual: own === 'dual-quaternion', // rigid parts have nothing to blend
        stretch: stretch?.slice() ?? null,
        scaled,
        weights: all.subarray(firstMorphWeight, firstMorphWeight + targetCount),
      };
    });
  }

  /**
   * Has shaders made that what comes next needs and nothing has worn yet: `compile` does so beside the page's own work, and a
   * material that is worn before stops the page until they are.
   */
  async prepare(computed: readonly boolean[], coloured: readonly boolean[], compile: (mesh: THREE.Mesh) => Promise<unknown>): Promise<void> {
    await Promise.all(this.drawn.map(async (drawn, p) => {
      if (computed[p]) drawn.computed ??= this.computedLook(drawn, this.model.parts[p]);
      const { geometry, own, mapped, coloured: map } = (computed[p] && drawn.computed) || drawn.blended;
      const [shape, material] = coloured[p] ? [mapped, map] : [geometry, own];
      const wants = (worn: THREE.Material, by: THREE.Mesh) => {
        if (this.compiled.has(worn)) return;
        this.compiled.add(worn);
        const mesh = new THREE.Mesh(shape, worn);
        mesh.layers.mask = by.layers.mask;
        return compile(mesh);
      };
      const { shadow } = drawn;
      await Promise.all([wants(material, drawn.mesh), shadow && wants(computed[p] ? shadow.computed : shadow.blended, shadow.mesh)]);
    }));
  }

  /** Shows a frame. `surfaces`: shapes of parts that are the engine's, and nothing of those that the vertex shader blends. */
  show(frames: readonly SkinFrame[], surfaces: readonly (Surface | null)[] = []): void {
    this.drawn.forEach((drawn, p) => {
      drawn.skin.setFrame(frames[p]);
      const surface = surfaces[p] ?? null;
      if (surface) this.write(p, surface);
      this.wear(drawn, surface !== null, drawn.hasColours);
    });
  }

  private write(p: number, { positions, normals }: Surface): void {
    const [drawn, part] = [this.drawn[p], this.model.parts[p]];
    drawn.computed ??= this.computedLook(drawn, part);
    put(drawn.computed.geometry, 'position', positions);
    put(drawn.computed.geometry, 'normal', normals);
  }

  private computedLook({ range }: Drawn, part: ModelPart): Look {
    const result = this.asEdges(this.lettingThrough(look(part, moving(part))));
    range.apply(result.coloured);
    return result;
  }

  /** Whether what lies under a skin that the engine computes is seen through it. */
  setTranslucent(translucent: boolean): void {
    if (translucent === this.translucent) return;
    this.translucent = translucent;
    for (const { computed } of this.drawn) if (computed) this.lettingThrough(computed);
  }

  private lettingThrough(look: Look): Look {
    for (const material of [look.own, look.coloured]) {
      const opaque = { transparent: false, opacity: 1, depthWrite: true };
      Object.assign(material, this.translucent ? { transparent: true, opacity: 0.38, depthWrite: false } : opaque);
      material.needsUpdate = true;
    }
    return look;
  }

  /** Numbers that the map shows, or null for the material of the file. */
  setColours(part: number, values: Values | null): void {
    const drawn = this.drawn[part];
    if (values) {
      drawn.range.set(values);
      const name = valueAttributes[values.channels];
      for (const { mapped } of drawn.computed ? [drawn.blended, drawn.computed] : [drawn.blended])
        if (mapped.hasAttribute(name)) put(mapped, name, values.numbers);
        else mapped.setAttribute(name, new THREE.BufferAttribute(values.numbers, values.channels));
    }
    this.wear(drawn, drawn.isComputed, values !== null);
  }

  private wear(drawn: Drawn, isComputed: boolean, hasColours: boolean): void {
    Object.assign(drawn, { isComputed, hasColours });
    const { geometry, own, mapped, coloured } = (isComputed && drawn.computed) || drawn.blended;
    const ready = hasColours && Object.values(valueAttributes).some((name) => mapped.hasAttribute(name));
    drawn.mesh.geometry = ready ? mapped : geometry;
    drawn.mesh.material = ready ? coloured : own;
    if (!drawn.shadow) return;
    drawn.shadow.mesh.geometry = geometry;
    drawn.shadow.mesh.material = isComputed ? drawn.shadow.computed : drawn.shadow.blended;
  }

  setWireframe(on: boolean): void {
    if (on === this.wireframe) return;
    this.wireframe = on;
    for (const { blended, computed } of this.drawn) for (const look of computed ? [blended, computed] : [blended]) this.asEdges(look);
  }

  private asEdges(look: Look): Look {
    for (const material of [look.own, look.coloured]) Object.assign(material, { wireframe: this.wireframe });
    return look;
  }

  setVisible(part: number, visible: boolean): void {
    const { mesh, shadow } = this.drawn[part];
    mesh.visible = visible;
    if (shadow) shadow.mesh.visible = visible;
  }

  dispose(): void {
    for (const { blended, computed, shadow, skin } of this.drawn) {
      for (const material of shadow ? [shadow.blended, shadow.computed] : []) material.dispose();
      for (const { geometry, own, mapped, coloured } of computed ? [blended, computed] : [blended])
        for (const thing of [geometry, own, mapped, coloured]) thing.dispose();
      skin.dispose();
    }
    this.group.removeFromParent();
  }
}
