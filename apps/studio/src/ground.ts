// The shadow under the character: what is seen of it from straight above, blurred, on the ground below it.
import * as THREE from 'three';

/** Layer of what casts the shadow; no other camera sees it. */
export const shadowLayer = 7;
const samples = 128; // of the shadow, each way

const vertexShader = `
varying vec2 place;
void main() {
  place = uv;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;
/** Two rings of samples from smaller copies of the mask, for each sample of the shadow and not for each pixel of the ground. */
const blurShader = `
uniform sampler2D mask;
varying vec2 place;
void main() {
  float dark = 2.0 * textureLod(mask, place, 2.0).a;
  for (int i = 0; i < 8; ++i) {
    float angle = 0.7853982 * float(i);
    vec2 way = vec2(cos(angle), sin(angle));
    dark += textureLod(mask, place + 0.02 * way, 2.5).a + textureLod(mask, place + 0.05 * way, 3.0).a;
  }
  gl_FragColor = vec4(0.0, 0.0, 0.0, dark / 18.0);
}`;
/** Towards the rim of the ground the shadow fades out. */
const fragmentShader = `
uniform sampler2D shadow;
uniform float strength;
varying vec2 place;
void main() {
  float rim = 1.0 - smoothstep(0.35, 0.5, length(place - 0.5));
  gl_FragColor = vec4(0.0, 0.0, 0.0, strength * rim * texture2D(shadow, place).a);
}`;

export class Ground {
  readonly plane: THREE.Mesh;
  private readonly target = new THREE.WebGLRenderTarget(samples, samples, { generateMipmaps: true, minFilter: THREE.LinearMipmapLinearFilter });
  private readonly shadow = new THREE.WebGLRenderTarget(samples, samples, { depthBuffer: false });
  private readonly camera = new THREE.OrthographicCamera();
  private readonly material: THREE.ShaderMaterial;
  private readonly blur: THREE.Mesh; // covers all of the shadow
  private readonly straight = new THREE.OrthographicCamera();

  constructor() {
    this.material = new THREE.ShaderMaterial({
      uniforms: { shadow: { value: this.shadow.texture }, strength: { value: 0.5 } },
      vertexShader, fragmentShader, transparent: true, depthWrite: false,
    });
    const blurs = new THREE.ShaderMaterial({ uniforms: { mask: { value: this.target.texture } }, vertexShader, fragmentShader: blurShader, blending: THREE.NoBlending, depthTest: false });
    this.blur = new THREE.Mesh(new THREE.PlaneGeometry(2, 2), blurs);
    this.straight.position.z = 1;
    // Seen from above the plane's own u goes to the right and v away, as the camera that looks down has them.
    this.plane = new THREE.Mesh(new THREE.PlaneGeometry(1, 1).rotateX(-Math.PI / 2), this.material);
    this.plane.renderOrder = -1;
    this.camera.layers.set(shadowLayer);
  }

  setStrength(strength: number): void {
    this.material.uniforms.strength.value = strength;
  }

  /** Lies under a box, wide enough for what moves in it. */
  place(box: THREE.Box3): void {
    const size = box.getSize(new THREE.Vector3());
    const centre = box.getCenter(new THREE.Vector3());
    const width = 2.4 * Math.max(size.x, size.z, 0.5 * size.y, 1e-6);
    this.plane.scale.setScalar(width);
    this.plane.position.set(centre.x, box.min.y - 0.01 * size.y, centre.z);
    Object.assign(this.camera, { left: -width / 2, right: width / 2, top: width / 2, bottom: -width / 2, near: 0, far: 3 * size.y + width });
    this.camera.position.set(centre.x, box.max.y + size.y + width / 2, centre.z);
    this.camera.up.set(0, 0, -1);
    this.camera.lookAt(centre.x, 0, centre.z);
    this.camera.far = this.camera.position.y - this.plane.position.y;
    this.camera.updateProjectionMatrix();
  }

  /** Makes the shaders that the mask draws a mesh with. */
  compile(renderer: THREE.WebGLRenderer, scene: THREE.Scene, mesh: THREE.Mesh): Promise<unknown> {
    renderer.setRenderTarget(this.target);
    try {
      return renderer.compileAsync(mesh, this.camera, scene);
    } finally {
      renderer.setRenderTarget(null);
    }
  }

  /** Draws the mask from what casts the shadow, and the shadow from the mask. */
  render(renderer: THREE.WebGLRenderer, scene: THREE.Scene): void {
    const { background } = scene;
    scene.background = null;
    renderer.setRenderTarget(this.target);
    renderer.setClearColor(0, 0);
    renderer.clear();
    renderer.render(scene, this.camera);
    renderer.setRenderTarget(this.shadow);
    renderer.render(this.blur, this.straight);
    renderer.setRenderTarget(null);
    scene.background = background;
  }
}
