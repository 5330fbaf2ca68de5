// A small viewer: plays the first clip of a character, or turns one joint by hand, with the drivers evaluated live.
import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { readDrivers } from 'supple-three';

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const play = element<HTMLInputElement>('play');
const joint = element<HTMLSelectElement>('joint');
const angle = element<HTMLInputElement>('angle');

const renderer = new THREE.WebGLRenderer({ antialias: true });
document.body.append(renderer.domElement);
const scene = new THREE.Scene();
scene.background = new THREE.Color(0xe8e8e8);
scene.add(new THREE.HemisphereLight(0xffffff, 0x777788, 3));
const camera = new THREE.PerspectiveCamera(35, 1, 0.01, 100);
const controls = new OrbitControls(camera, renderer.domElement);
const resize = () => {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
};
addEventListener('resize', resize);
resize();

const file = new URLSearchParams(location.search).get('model') ?? 'hand.glb';
const gltf = await new GLTFLoader().loadAsync(file);
scene.add(gltf.scene);
const sphere = new THREE.Box3().setFromObject(gltf.scene).getBoundingSphere(new THREE.Sphere());
controls.target.copy(sphere.center);
camera.position.copy(sphere.center).add(new THREE.Vector3(-0.9, 0.8, -0.6).setLength(3 * sphere.radius));

const drivers = readDrivers(gltf);
const mixer = new THREE.AnimationMixer(gltf.scene);
if (gltf.animations.length > 0) mixer.clipAction(drivers.withoutDrivenTracks(gltf.animations[0])).play();

const bones: THREE.Object3D[] = [];
gltf.scene.traverse((object) => {
  if (!(object as THREE.Bone).isBone) return;
  joint.add(new Option(object.name));
  bones.push(object);
});
const rest = bones.map((bone) => bone.quaternion.clone());
angle.addEventListener('input', () => {
  play.checked = false;
  const turn = new THREE.Quaternion().setFromAxisAngle(
    new THREE.Vector3(1, 0, 0),
    THREE.MathUtils.degToRad(Number(angle.value)),
  );
  bones[joint.selectedIndex].quaternion.copy(rest[joint.selectedIndex]).multiply(turn);
});

const timer = new THREE.Timer();
renderer.setAnimationLoop((now) => {
  timer.update(now);
  if (play.checked) mixer.update(timer.getDelta());
  drivers.update(); // after the bones have moved
  controls.update();
  renderer.render(scene, camera);
});
