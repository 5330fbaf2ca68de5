// Camera, light, ground, and the views of one pose: columns beside each other, or a picture that a line divides.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { type Margins, standFor } from './framing';
import { Ground, shadowLayer } from './ground';
import { lamps } from './light';
import { roomTexture } from './room';
import { Wipe } from './wipe';

const longestWait = 600; // milliseconds for the graphics driver
const fieldOfView = 32; // degrees, of a column as wide as high or wider

export interface View {
  layer: number;
  label: string;
}

export class Stage {
  readonly scene = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(fieldOfView, 1, 0.001, 1000);
  readonly controls: OrbitControls;
  readonly renderer: THREE.WebGLRenderer;
  /** A frame of a headset that shows the stage. */
  onheadset: (time: number, frame: XRFrame, space: XRReferenceSpace) => void = () => {};
  readonly wipe: Wipe;
  /** Shares of the stage that something lies over: framing keeps clear of them. */
  covered = () => ({ top: 0, bottom: 0 });
  private readonly ground = new Ground();
  private views: View[] = [{ layer: 0, label: '' }];
  private wiped = false;
  private held = 0; // column where the pointer went down

  constructor(
    private readonly place: HTMLElement,
    private readonly labels: HTMLElement,
  ) {
    this.renderer = makeRenderer();
    this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
    place.append(this.renderer.domElement);
    this.renderer.domElement.tabIndex = 0;
    this.renderer.domElement.setAttribute('aria-label', 'The character: drag to turn it, drag a joint to bend it');
    this.controls = new OrbitControls(this.camera, this.renderer.domElement);
    this.wipe = new Wipe(place, () => {});
    this.scene.add(...lamps(), this.ground.plane);
    this.scene.environment = roomTexture();
    this.scene.environmentIntensity = 0.5;
    new ResizeObserver(() => this.resize()).observe(place);
    this.resize();
  }

  get canvas(): HTMLCanvasElement {
    return this.renderer.domElement;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.place;
    if (width === 0 || height === 0) return;
    this.renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height);
  }

  /** `wiped`: the first is left of the line, the second right of it; otherwise all stand beside each other. */
  setViews(views: View[], wiped = false): void {
    this.views = views;
    this.wiped = wiped;
    this.wipe.handle.hidden = !wiped;
    this.labels.classList.toggle('wiped', wiped);
    const labels = views.length > 1 ? views.map((view) => Object.assign(document.createElement('span'), { textContent: view.label })) : [];
    this.labels.replaceChildren(...labels);
  }

  private get columns(): number {
    return this.wiped ? 1 : this.views.length;
  }

  setTheme(dark: boolean): void {
    this.scene.background = new THREE.Color(dark ? 0x15171b : 0xeceef1);
    this.ground.setStrength(dark ? 0.75 : 0.42);
  }

  /** Tangents of half the angles of the view, across and upwards. What fits the stage's height must fit a narrow column, too. */
  private tangents(): THREE.Vector2 {
    const { x, y } = this.columnSize;
    const aspect = x / y || 1;
    const up = Math.tan(THREE.MathUtils.degToRad(fieldOfView / 2)) / Math.min(1, aspect);
    return new THREE.Vector2(up * aspect, up);
  }

  /** Fills the stage with points, seen from a direction. The ground is below `all`. */
  frame(points: readonly Float32Array[], direction: THREE.Vector3, all = points): void {
    const { top, bottom } = this.covered();
    const margins: Margins = { left: 0.05, right: 0.05, top: top + 0.04, bottom: bottom + 0.04 };
    const { position, target, radius } = standFor(points, direction, this.tangents(), margins);
    this.controls.target.copy(target);
    this.camera.position.copy(position);
    this.camera.near = radius / 100;
    this.camera.far = radius * 200;
    this.controls.update();
    const box = new THREE.Box3();
    const point = new THREE.Vector3();
    for (const part of all) for (let i = 0; i < part.length; i += 3) box.expandByPoint(point.fromArray(part, i));
    if (!box.isEmpty()) this.ground.place(box);
  }

  /** From a little above: to the front of a box, or to its side where it is longer than high. */
  static usualDirection(box: THREE.Box3): THREE.Vector3 {
    const size = box.getSize(new THREE.Vector3());
    return size.z > 1.3 * size.y ? new THREE.Vector3(-1, 0.9, -0.55) : new THREE.Vector3(0.35, 0.35, 1);
  }

  /** Where a point of the scene is across the stage, from 0 to 1. */
  across(point: THREE.Vector3): number {
    this.aim();
    return (point.clone().project(this.camera).x + 1) / 2;
  }

  /** A point of the page from -1 to 1 within its column, or within the column where a drag began. */
  pointIn(event: PointerEvent): THREE.Vector2 {
    const box = this.canvas.getBoundingClientRect();
    const width = box.width / this.columns;
    if (event.type === 'pointerdown') this.held = Math.floor((event.clientX - box.left) / width);
    const x = (event.clientX - box.left) / width - this.held;
    return new THREE.Vector2(2 * x - 1, 1 - (2 * (event.clientY - box.top)) / box.height);
  }

  /** Shows the stage in a headset, an arm's length ahead and below the eyes, until the session ends. */
  async present(session: XRSession): Promise<void> {
    const { xr } = this.renderer;
    xr.enabled = true;
    session.addEventListener('end', () => (xr.enabled = false));
    await xr.setSession(session);
    const space = await session.requestReferenceSpace('local');
    xr.setReferenceSpace(space.getOffsetReferenceSpace(new XRRigidTransform({ x: 0, y: -0.25, z: -0.45 })));
  }

  /** Calls `frame` for every picture of the screen or the headset. */
  run(frame: (time: number) => void): void {
    this.renderer.setAnimationLoop((time, xrFrame) => {
      const space = this.renderer.xr.getReferenceSpace();
      if (xrFrame && space) this.onheadset(time, xrFrame, space);
      frame(time);
    });
  }

  /** Size of one column, in pixels of the page. */
  get columnSize(): THREE.Vector2 {
    return new THREE.Vector2(this.canvas.clientWidth / this.columns, this.canvas.clientHeight);
  }

  /** What a picture of the same scene depends on. */
  state(): unknown[] {
    const { position, quaternion } = this.camera;
    const { width, height } = this.canvas;
    return [position.toArray(), quaternion.toArray(), this.controls.target.toArray(), width, height, this.wipe.share, this.wiped];
  }

  /** Makes the camera that of a column. */
  aim(): void {
    const { x, y } = this.columnSize;
    this.camera.aspect = x / y || 1;
    this.camera.fov = 2 * THREE.MathUtils.radToDeg(Math.atan(this.tangents().y));
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.camera.updateMatrixWorld();
  }

  /** Once the graphics driver has done all that it was told so far, or does not come to say so: pages share it. */
  private async driverDone(): Promise<void> {
    const gl = this.renderer.getContext() as WebGL2RenderingContext;
    const fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    if (!fence) return;
    gl.flush();
    const start = performance.now();
    const waits = () => gl.getSyncParameter(fence, gl.SYNC_STATUS) !== gl.SIGNALED && !gl.isContextLost() && performance.now() - start < longestWait;
    while (waits()) await new Promise((done) => setTimeout(done, 10));
    gl.deleteSync(fence);
  }

  /** Makes the shaders of a mesh for this scene, without stopping the page. */
  async compile(mesh: THREE.Mesh): Promise<void> {
    if (mesh.layers.isEnabled(shadowLayer)) await this.ground.compile(this.renderer, this.scene, mesh);
    else await this.renderer.compileAsync(mesh, this.camera, this.scene);
    await this.driverDone();
    // What three.js asks the driver about a program when it is first used waits for all that is drawn before: it is asked now.
    for (const program of this.renderer.info.programs ?? []) {
      program.getUniforms();
      program.getAttributes();
    }
  }

  render(): void {
    const supple = this.views.find((view) => view.label === 'Supple')?.layer ?? 0;
    if (this.renderer.xr.isPresenting) {
      // One view for both eyes.
      this.camera.layers.set(supple);
      this.camera.layers.enable(0);
      this.renderer.setScissorTest(false);
      return this.renderer.render(this.scene, this.camera);
    }
    this.renderer.setScissorTest(false);
    this.ground.render(this.renderer, this.scene);
    this.aim();
    const size = this.renderer.getSize(new THREE.Vector2());
    const width = size.x / this.columns;
    const line = Math.round(size.x * this.wipe.share);
    this.renderer.setScissorTest(true);
    this.views.forEach(({ layer }, view) => {
      const [left, right] = this.wiped ? [[0, line], [line, size.x]][view] : [view * width, (view + 1) * width];
      if (right <= left) return;
      this.renderer.setViewport(this.wiped ? 0 : left, 0, width, size.y);
      this.renderer.setScissor(left, 0, right - left, size.y);
      this.camera.layers.set(layer);
      this.camera.layers.enable(0);
      this.renderer.render(this.scene, this.camera);
    });
  }

  /** A PNG of what is on stage; `transparent`: without its background. */
  async picture(transparent = false): Promise<Blob> {
    const { background } = this.scene;
    if (transparent) this.scene.background = null;
    this.render(); // in the same turn: the buffer is not kept longer
    this.scene.background = background;
    return new Promise((resolve, reject) =>
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be encoded')))),
    );
  }
}

/** Software drivers sometimes refuse the first time. */
function makeRenderer(): THREE.WebGLRenderer {
  for (let attempt = 0; ; ++attempt) {
    try {
      return new THREE.WebGLRenderer({ antialias: true });
    } catch (error) {
      if (attempt === 3) throw new Error('This browser gives no WebGL2 context: update it, or allow hardware acceleration.', { cause: error });
    }
  }
}
