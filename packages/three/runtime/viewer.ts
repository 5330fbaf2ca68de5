// <supple-viewer src="hand.glb"></supple-viewer>: a file on a page, all its deformers live; drag turns the camera. Importing this
// module defines the element.
//
//   src           the file
//   clip          the name of the clip that plays; without it the first, with "none" none
//   kinodynamic   skin that flows, where the file has muscles
import { AnimationMixer, Box3, DirectionalLight, HemisphereLight, PerspectiveCamera, Scene, Timer, Vector3, WebGLRenderer } from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { SuppleEngine } from './engine.ts';
import type { LiveSkin } from './live_skin.ts';

let loading: Promise<SuppleEngine> | undefined; // one engine for all elements of a page

export class SuppleViewer extends HTMLElement {
  static readonly observedAttributes = ['src', 'clip', 'kinodynamic'];
  /** What is on stage, for whoever wants to turn its bones. */
  skin: LiveSkin | null = null;
  readonly scene = new Scene();
  private renderer: WebGLRenderer | null = null;
  private mixer: AnimationMixer | null = null;
  private readonly camera = new PerspectiveCamera(32, 1, 0.001, 1000);
  private controls: OrbitControls | null = null;
  private readonly timer = new Timer();
  private opening = 0;

  connectedCallback(): void {
    this.style.display ||= 'block';
    this.renderer = new WebGLRenderer({ antialias: true, alpha: true });
    const { domElement } = this.renderer;
    Object.assign(domElement.style, { width: '100%', height: '100%', display: 'block', touchAction: 'none' });
    (this.shadowRoot ?? this.attachShadow({ mode: 'open' })).replaceChildren(domElement);
    const lamp = new DirectionalLight(0xffffff, 2);
    lamp.position.set(-1, 2, 2);
    if (this.scene.children.length === 0) this.scene.add(new HemisphereLight(0xffffff, 0x556070, 2), lamp);
    this.controls = new OrbitControls(this.camera, domElement);
    this.renderer.setAnimationLoop((time) => this.frame(time));
    void this.open();
  }

  disconnectedCallback(): void {
    ++this.opening;
    this.close();
    this.controls?.dispose();
    this.renderer?.dispose();
    this.renderer = null;
  }

  attributeChangedCallback(): void {
    if (this.renderer) void this.open();
  }

  private close(): void {
    this.skin?.dispose();
    this.skin?.root.removeFromParent();
    this.skin = this.mixer = null;
  }

  /** Dispatches "load" once the file is on stage, or "error" with the reason in its detail. */
  private async open(): Promise<void> {
    const opening = ++this.opening;
    const address = this.getAttribute('src');
    if (!address) return this.close();
    try {
      const engine = await (loading ??= SuppleEngine.load());
      const { gltf, skin } = await engine.loadFile(address);
      if (opening !== this.opening) return skin.dispose();
      this.close();
      this.skin = skin;
      skin.kinodynamic = this.hasAttribute('kinodynamic');
      this.scene.add(gltf.scene);
      const wanted = this.getAttribute('clip');
      const clip = wanted === 'none' ? undefined : (gltf.animations.find(({ name }) => name === wanted) ?? gltf.animations[0]);
      this.mixer = new AnimationMixer(gltf.scene);
      if (clip) this.mixer.clipAction(skin.withoutDrivenTracks(clip)).play();
      this.look();
      this.dispatchEvent(new CustomEvent('load'));
    } catch (error) {
      if (opening === this.opening) this.dispatchEvent(new CustomEvent('error', { detail: error }));
    }
  }

  /** The whole character, from a little above: its front, or its side where it is longer than high. */
  private look(): void {
    const box = new Box3().setFromObject(this.skin!.root);
    const size = box.getSize(new Vector3());
    const radius = size.length() / 2 || 1;
    const from = size.z > 1.3 * size.y ? new Vector3(-1, 0.9, -0.55) : new Vector3(0.35, 0.35, 1);
    const centre = box.getCenter(new Vector3());
    this.controls!.target.copy(centre);
    this.camera.position.copy(centre).addScaledVector(from.normalize(), 2.8 * radius);
    Object.assign(this.camera, { near: radius / 100, far: radius * 100 });
  }

  private frame(time: number): void {
    const { renderer, clientWidth: width, clientHeight: height } = this;
    if (!renderer || width === 0 || height === 0) return;
    this.timer.update(time);
    const seconds = Math.min(this.timer.getDelta(), 0.1);
    renderer.setPixelRatio(Math.min(devicePixelRatio, 2));
    renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
    this.controls!.update();
    this.mixer?.update(seconds);
    this.skin?.update(seconds);
    renderer.render(this.scene, this.camera);
  }
}

if (!customElements.get('supple-viewer')) customElements.define('supple-viewer', SuppleViewer);
