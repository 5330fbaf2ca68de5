// Camera, lights and the columns of a split view.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';

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
  private views: View[] = [{ layer: 0, label: '' }];
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
    for (const light of lights()) this.scene.add(light);
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

  setViews(views: View[]): void {
    this.views = views;
    const labels = views.length > 1 ? views.map((view) => Object.assign(document.createElement('span'), { textContent: view.label })) : [];
    this.labels.replaceChildren(...labels);
  }

  setBackground(colour: THREE.ColorRepresentation): void {
    this.scene.background = new THREE.Color(colour);
  }

  /** Turns the camera to a box, from a little above: to its front, or to its side where it is longer than high. */
  frame(box: THREE.Box3): void {
    const size = box.getSize(new THREE.Vector3());
    const sphere = box.getBoundingSphere(new THREE.Sphere());
    const direction = size.z > 1.3 * size.y ? new THREE.Vector3(-1, 0.9, -0.55) : new THREE.Vector3(0.35, 0.35, 1);
    sphere.radius ||= 1; // all vertices at one place
    const distance = sphere.radius / Math.sin(THREE.MathUtils.degToRad(fieldOfView / 2));
    this.controls.target.copy(sphere.center);
    this.camera.position.copy(direction).setLength(distance).add(sphere.center);
    this.camera.near = sphere.radius / 100;
    this.camera.far = sphere.radius * 100;
    this.controls.update();
  }

  /** A point of the page from -1 to 1 within its column, or within the column where a drag began. */
  pointIn(event: PointerEvent): THREE.Vector2 {
    const box = this.canvas.getBoundingClientRect();
    const width = box.width / this.views.length;
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
    return new THREE.Vector2(this.canvas.clientWidth / this.views.length, this.canvas.clientHeight);
  }

  render(): void {
    if (this.renderer.xr.isPresenting) {
      // One view for both eyes.
      this.camera.layers.set(this.views.find((view) => view.label === 'Supple')?.layer ?? 0);
      this.camera.layers.enable(0);
      this.renderer.setScissorTest(false);
      return this.renderer.render(this.scene, this.camera);
    }
    const size = this.renderer.getSize(new THREE.Vector2());
    const width = size.x / this.views.length;
    this.camera.aspect = width / size.y;
    // What fits the stage's height must fit a narrow column, too.
    const narrow = Math.min(1, this.camera.aspect);
    this.camera.fov = 2 * THREE.MathUtils.radToDeg(Math.atan(Math.tan(THREE.MathUtils.degToRad(fieldOfView / 2)) / narrow));
    this.camera.updateProjectionMatrix();
    this.controls.update();
    this.renderer.setScissorTest(true);
    this.views.forEach(({ layer }, column) => {
      this.renderer.setViewport(column * width, 0, width, size.y);
      this.renderer.setScissor(column * width, 0, width, size.y);
      this.camera.layers.set(layer);
      this.camera.layers.enable(0);
      this.renderer.render(this.scene, this.camera);
    });
  }

  async picture(): Promise<Blob> {
    this.render(); // in the same turn: the buffer is not kept longer
    return new Promise((resolve, reject) =>
      this.canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('the picture could not be encoded')))),
    );
  }
}

/** Sky and ground, a key from the left, a rim from behind. No environment map: making one takes seconds in software. */
function lights(): THREE.Light[] {
  const key = new THREE.DirectionalLight(0xfff4e8, 2.4);
  key.position.set(-0.7, 1, 0.4);
  const rim = new THREE.DirectionalLight(0xdfe9ff, 1.3);
  rim.position.set(0.8, 0.3, -0.9);
  const all = [new THREE.HemisphereLight(0xffffff, 0x8a7d74, 1.1), key, rim];
  for (const light of all) light.layers.enableAll();
  return all;
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
