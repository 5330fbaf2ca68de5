// supple-three as its users get it: packed, installed into an empty project, and its README's snippet built by Vite. Skins
// in the browser are those of the native program, and clones move by themselves.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { launch, root, run, scratch } from './support.mjs';

const project = join(scratch, 'project');
const inProject = (...words) => {
  const { status, stdout, stderr } = spawnSync(words[0], words.slice(1), { cwd: project, encoding: 'utf8' });
  assert.equal(status, 0, `${words.join(' ')}: ${stdout}${stderr}`);
};
const rounding = 1e-5; // metres: float positions, and bones that three.js turns in double precision
let browser, server, page;
const problems = [];

/** JSON and binary chunk of a .glb. */
function chunks(file) {
  const bytes = readFileSync(file);
  const length = bytes.readUInt32LE(12);
  return { json: JSON.parse(bytes.subarray(20, 20 + length).toString()), bin: bytes.subarray(28 + length) };
}
function positionsOf(file) {
  const { json, bin } = chunks(file);
  const { bufferView, byteOffset = 0, count } = json.accessors[json.meshes[0].primitives[0].attributes.POSITION];
  const start = (json.bufferViews[bufferView].byteOffset ?? 0) + byteOffset;
  return Array.from({ length: 3 * count }, (_, i) => bin.readFloatLE(start + 4 * i));
}

/** Pictures of one pose by both renderers, and a material that only one of them can draw with. */
const webgpuHook = `
import { WebGLRenderer } from 'three';
import { GpuSkin, SharedSkin } from 'supple-three/gpu';
renderer.setAnimationLoop(null);
const none = new Float32Array(4);
const gpuSkin = () => new GpuSkin(new SharedSkin({ vertexCount: 1, textureWidth: 1, ranges: new Uint32Array(4), influences: new Float32Array(2), offsets: none }));
Object.assign(globalThis, { THREE, WebGLRenderer, gpuSkin, renderer, engine, skin, gltf, scene, camera, ready: true });
`;

const files = {};
function makeFiles() {
  const plain = join(scratch, 'plain.glb');
  run('make', 'limb', '--vertices', '1000', '-o', plain, '--quiet');
  files.fitted = join(root, 'build/studio/demo.glb');
  files.flesh = join(scratch, 'flesh.glb');
  files.muscles = join(scratch, 'muscles.glb');
  files.smoothed = join(scratch, 'smoothed.glb');
  run('add', 'flesh', plain, '--auto', '--no-compare', '-o', files.flesh, '--quiet');
  run('add', 'kinodynamics', plain, '--auto', '--no-compare', '-o', files.muscles, '--quiet');
  run('add', 'delta-mush', plain, '--no-compare', '-o', files.smoothed, '--quiet');
  files.wrinkles = join(scratch, 'wrinkles.glb');
  run('add', 'wrinkles', plain, '--strip=-0.05,0.15,0+-0.05,0.45,0', '--wavelength', '0.12', '-o', files.wrinkles, '--quiet');
  files['names of Mixamo'] = renamed(files.flesh, join(scratch, 'mixamo.glb'), 'mixamorig:');
  files['pose space'] = join(root, 'build/studio/tour/scanned.glb');
}

/** The same file with something before the names of all its nodes. */
function renamed(from, to, prefix) {
  const { json, bin } = chunks(from);
  for (const node of json.nodes) if (node.name) node.name = prefix + node.name;
  const text = Buffer.from(JSON.stringify(json));
  const padded = Buffer.concat([text, Buffer.alloc((4 - (text.length % 4)) % 4, ' ')]);
  const words = (...list) => Buffer.from(Uint32Array.from(list).buffer);
  writeFileSync(to, Buffer.concat([words(0x46546c67, 2, 28 + padded.length + bin.length, padded.length, 0x4e4f534a), padded, words(bin.length, 0x004e4942), bin]));
  return to;
}

/** The project as its author would make it. */
function makeProject() {
  mkdirSync(join(project, 'public'), { recursive: true });
  const folder = join(root, 'packages/three');
  const [{ filename }] = JSON.parse(execFileSync('npm', ['pack', '--json', '--pack-destination', scratch], { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }));
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(root, 'apps/studio/package.json'), 'utf8'));
  writeFileSync(join(project, 'package.json'), JSON.stringify({
    name: 'project', private: true, type: 'module',
    dependencies: { three: dependencies.three, 'supple-three': `file:${join(scratch, filename)}` },
    devDependencies: { vite: devDependencies.vite, typescript: devDependencies.typescript, '@types/three': devDependencies['@types/three'] },
  }));
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const snippet = /```ts engine\n([\s\S]*?)```/.exec(readme)[1];
  const hook = `import { clone } from 'three/addons/utils/SkeletonUtils.js';\nObject.assign(globalThis, { THREE, clone, renderer, engine, gltf, skin, scene, ready: true });\n`;
  writeFileSync(join(project, 'main.ts'), snippet + hook);
  writeFileSync(join(project, 'index.html'), '<!doctype html><html lang="en"><body><script type="module" src="./main.ts"></script></body></html>');
  const element = /```html viewer\n([\s\S]*?)```/.exec(readme)[1];
  writeFileSync(join(project, 'viewer.html'), `<!doctype html><html lang="en"><body>${element}</body></html>`);
  writeFileSync(join(project, 'webgpu.ts'), /```ts webgpu\n([\s\S]*?)```/.exec(readme)[1] + webgpuHook);
  writeFileSync(join(project, 'webgpu.html'), '<!doctype html><html lang="en"><body><script type="module" src="./webgpu.ts"></script></body></html>');
  writeFileSync(join(project, 'vite.config.js'), "export default { base: './', build: { target: 'es2022', rollupOptions: { input: ['index.html', 'viewer.html', 'webgpu.html'] } } };\n");
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions: { target: 'ES2022', module: 'ESNext', moduleResolution: 'Bundler', lib: ['ES2022', 'DOM', 'DOM.Iterable'], strict: true, noEmit: true, skipLibCheck: true, types: [] }, include: ['main.ts', 'webgpu.ts'] }));
  inProject('npm', 'install', '--no-audit', '--no-fund', '--no-package-lock', '--loglevel=error');
}

before(async () => {
  makeFiles();
  makeProject();
  copyFileSync(files.fitted, join(project, 'public/hand.glb'));
  for (const [name, file] of Object.entries(files)) if (existsSync(file)) copyFileSync(file, join(project, `public/${name}.glb`));
  inProject('npx', 'tsc');
  inProject('npx', 'vite', 'build', '--logLevel', 'warn');
  const types = { '.html': 'text/html', '.js': 'text/javascript', '.wasm': 'application/wasm' };
  server = createServer((request, response) => {
    const file = join(project, 'dist', decodeURIComponent(request.url === '/' ? '/index.html' : request.url));
    if (!existsSync(file)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': types[extname(file)] ?? 'application/octet-stream' }).end(readFileSync(file));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  browser = await launch();
  page = await browser.newPage({ viewport: { width: 320, height: 240 } });
  page.setDefaultTimeout(180_000);
  page.on('console', (message) => message.type() === 'error' && !/favicon/.test(message.location().url) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(error.message));
  await page.goto(`http://127.0.0.1:${server.address().port}/`);
  await page.waitForFunction(() => globalThis.ready && renderer.info.render.frame > 2, null, { timeout: 240_000 }); // it draws
  await page.evaluate(() => {
    renderer.setAnimationLoop(null); // and need not go on for a minute beside the others
    /** Opens a file, turns its nodes and gives the first mesh's vertices as they are drawn. */
    globalThis.opened = async (name) => engine.loadFile(`${name}.glb`);
    globalThis.turn = ({ gltf }, rotations) => {
      for (const [object, place] of gltf.parser.associations)
        if (rotations[place?.nodes]) object.quaternion.fromArray(rotations[place.nodes]);
    };
    globalThis.drawn = (root) => {
      root.updateMatrixWorld(true);
      const meshes = [];
      root.traverse((object) => object.isMesh && object.visible && object.layers.mask !== 0 && meshes.push(object));
      const mesh = meshes.find(({ name }) => name.endsWith('(Supple)')) ?? meshes[0];
      mesh.skeleton?.update();
      const point = new THREE.Vector3();
      return Array.from({ length: mesh.geometry.getAttribute('position').count }, (_, v) => mesh.getVertexPosition(v, point).applyMatrix4(mesh.matrixWorld).toArray()).flat();
    };
  });
});
after(async () => {
  await browser?.close();
  server?.close();
});

const apart = (a, b) => (assert.equal(a.length, b.length), a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0));

/** A file in a pose by the native program: rotations of its nodes, and its skin. */
function native(name, ...words) {
  const file = files[name];
  const { json } = chunks(file);
  const bends = json.nodes.flatMap(({ name: joint, extras }) => (extras?.supple?.dofs ?? []).slice(0, 1).map(({ name: dof, max, limits }) => ['--pose', `${joint}.${dof}=${Math.round((0.4 * (max ?? limits?.[1] ?? 1) * 180) / Math.PI)}`])).slice(0, 12).flat();
  const [rig, baked] = [join(scratch, 'rig.glb'), join(scratch, 'baked.glb')];
  run('pose', file, ...bends, '-o', rig, '--quiet');
  run('pose', file, ...bends, '--bake', ...words, '-o', baked, '--quiet');
  return { rotations: chunks(rig).json.nodes.map(({ rotation }) => rotation ?? [0, 0, 0, 1]), positions: positionsOf(baked) };
}

for (const [name, words, set] of [['fitted', [], {}], ['pose space', [], {}], ['smoothed', [], {}], ['muscles', ['--blend', 'kinodynamic'], { kinodynamic: true }], ['flesh', [], { layers: { corrections: true, modes: Infinity, smoothing: true, flesh: false } }], ['names of Mixamo', [], { layers: { corrections: true, modes: Infinity, smoothing: true, flesh: false } }], ['wrinkles', [], {}]])
  test(`a file with ${name} looks in three.js as in the native program`, async (t) => {
    if (!existsSync(files[name])) return t.skip(`needs ${files[name]} (script/studio makes it where scans are built)`);
    const { rotations, positions } = native(name, ...words);
    const { found, rest, weights, deformers } = await page.evaluate(async ([file, turned, changes]) => {
      const own = await opened(file);
      const rest = drawn(own.gltf.scene);
      turn(own, turned);
      own.skin.kinodynamic = changes.kinodynamic ?? false;
      Object.assign(own.skin.layers, changes.layers);
      own.skin.update(0);
      const found = drawn(own.gltf.scene);
      const weights = [];
      own.gltf.scene.traverse((object) => weights.push(...(object.morphTargetInfluences ?? [])));
      const deformers = own.skin.deformers;
      own.skin.dispose();
      return { found, rest, weights, deformers };
    }, [name, rotations, set]);
    const worst = apart(found, positions);
    t.diagnostic(`at most ${worst.toExponential(1)} m from the native program, ${(1000 * apart(found, rest)).toFixed(0)} mm from rest`);
    assert.ok(apart(found, rest) > 5e-3, 'the pose is none');
    assert.ok(worst <= rounding);
    if (name === 'wrinkles') assert.ok(deformers.includes('wrinkles') && Math.max(...weights.map(Math.abs)) > 0.05, `it folds: ${weights}`);
  });

test('flesh swings behind bones that are turned, and comes to rest', async () => {
  const [first, swinging, later, still] = await page.evaluate(async () => {
    const own = await opened('flesh');
    const bone = own.gltf.scene.getObjectByName('limb-0');
    for (let i = 0; i < 30; ++i) own.skin.update(1 / 30);
    const first = drawn(own.gltf.scene);
    bone.quaternion.set(0, 0, Math.sin(0.3), Math.cos(0.3));
    for (let i = 0; i < 3; ++i) own.skin.update(1 / 30);
    const swinging = drawn(own.gltf.scene);
    for (let i = 0; i < 900; ++i) own.skin.update(1 / 30);
    const later = drawn(own.gltf.scene);
    own.skin.update(1 / 30);
    return [first, swinging, later, drawn(own.gltf.scene)];
  });
  assert.ok(apart(first, later) > 5e-3 && apart(swinging, later) > 1e-4, `${apart(swinging, later)}`);
  assert.ok(apart(later, still) < 1e-6);
});

test('two clones move by themselves, flowing or not', async () => {
  for (const [name, kinodynamic] of [['fitted', false], ['muscles', true]]) {
    const [one, other, alone] = await page.evaluate(async ([file, flows]) => {
      const own = await opened(file);
      own.skin.kinodynamic = flows;
      own.skin.update(0);
      const roots = [clone(own.gltf.scene), clone(own.gltf.scene)];
      const skins = roots.map((root) => own.skin.clone(root));
      const bones = [];
      roots[0].traverse((object) => object.isBone && bones.push(object));
      bones[2].rotateX(0.7);
      for (const skin of skins) skin.update(0);
      return [...roots, own.gltf.scene].map((root) => drawn(root));
    }, [name, kinodynamic]);
    assert.ok(apart(one, other) > 1e-3, name);
    assert.ok(apart(other, alone) < 1e-6, name);
  }
});

for (const [backend, flags] of [['WebGL2', []], ['WebGPU', ['--enable-unsafe-webgpu', '--use-webgpu-adapter=swiftshader']]])
  test(`WebGPURenderer by ${backend} draws what WebGLRenderer draws, corrections, flow and all; what it cannot do, it says`, async (t) => {
    const chromium = await launch(flags);
    const own = await chromium.newPage({ viewport: { width: 400, height: 300 } });
    own.setDefaultTimeout(180_000);
    const said = [];
    own.on('pageerror', (error) => said.push(error.message));
    await own.goto(`http://127.0.0.1:${server.address().port}/webgpu.html`);
    await own.waitForFunction(() => globalThis.ready, null, { timeout: 240_000 });
    const used = await own.evaluate(() => (renderer.backend.isWebGPUBackend ? 'WebGPU' : 'WebGL2'));
    if (used !== backend) return void (await chromium.close(), t.skip(`this browser has no ${backend}`));
    await own.evaluate(() => {
      const size = 256;
      const plain = new WebGLRenderer();
      plain.setSize(size, size);
      scene.background = new THREE.Color(0);
      camera.aspect = 1;
      camera.updateProjectionMatrix();
      /** Which pixels show the character. Into textures: WebGPU in software cannot always show a canvas. */
      const picture = async (each) => {
        const target = each === plain ? new THREE.WebGLRenderTarget(size, size) : new THREE.RenderTarget(size, size);
        each.setRenderTarget(target);
        each.render(scene, camera);
        const bytes = await each.readRenderTargetPixelsAsync(target, 0, 0, size, size, ...(each === plain ? [new Uint8Array(4 * size * size)] : []));
        const seen = Array.from({ length: size * size }, (_, i) => bytes[4 * i] > 127);
        const rows = Array.from({ length: size }, (_, y) => seen.slice(size * y, size * (y + 1)));
        return (each.backend?.isWebGPUBackend ? rows.reverse() : rows).flat(); // the first row is the highest there
      };
      /** The file in a pose as a renderer draws it. Each has its own: WebGPURenderer changes attributes for its needs. */
      globalThis.drawn = async (file, changes, webgpu) => {
        const { gltf: loaded, skin: live } = await engine.loadFile(`${file}.glb`);
        for (const old of [...scene.children]) if (!old.isLight) old.removeFromParent();
        scene.add(loaded.scene);
        const bones = [];
        loaded.scene.traverse((object) => object.isBone && bones.push(object));
        bones.forEach((bone, i) => i > 0 && bone.rotateX(-0.5));
        Object.assign(live.layers, changes.layers);
        live.kinodynamic = changes.kinodynamic ?? false;
        live.update(0);
        loaded.scene.traverse((object) => object.isMesh && (object.material = new THREE.MeshBasicMaterial({ color: 0xffffff })));
        const box = new THREE.Box3().setFromObject(loaded.scene);
        const centre = box.getCenter(new THREE.Vector3());
        camera.position.set(1.1, 1.7, 1.3).normalize().multiplyScalar(1.7 * box.getSize(new THREE.Vector3()).length()).add(centre);
        camera.lookAt(centre);
        const result = await picture(webgpu ? renderer : plain);
        live.dispose();
        return result;
      };
    });
    const differing = (a, b) => a.filter((value, i) => value !== b[i]).length;
    for (const [name, on, off] of [['fitted', {}, { layers: { corrections: false } }], ['muscles', { kinodynamic: true }, {}]]) {
      const ask = (changes, webgpu) => own.evaluate(([file, set, way]) => drawn(file, set, way), [name, changes, webgpu]);
      const [webgl, webgpu, without] = [await ask(on, false), await ask(on, true), await ask(off, true)];
      const covered = webgl.filter((inside) => inside).length;
      t.diagnostic(`${name}: ${differing(webgpu, webgl)} of ${covered} pixels differ between renderers, ${differing(webgpu, without)} from the plain skin`);
      assert.ok(covered > 1000, name);
      assert.ok(differing(webgpu, webgl) <= 0.002 * covered, name); // pixels whose middle is on an edge, up to rounding
      assert.ok(differing(webgpu, without) > 0.02 * covered, `${name}: the deformer is not seen`);
    }
    const reported = own.waitForEvent('console', (message) => /supple-three\/gpu/.test(message.text()));
    const refused = await own.evaluate(async () => {
      for (const old of [...scene.children]) if (!old.isLight) old.removeFromParent();
      const mesh = new THREE.Mesh(new THREE.BoxGeometry(), gpuSkin().apply(new THREE.MeshStandardMaterial()));
      mesh.frustumCulled = false;
      scene.add(mesh);
      renderer.render(scene, camera);
      mesh.removeFromParent();
      try {
        return void gpuSkin().apply(new THREE.MeshStandardNodeMaterial());
      } catch (error) {
        return error.message;
      }
    });
    for (const text of [refused, (await reported).text()]) assert.match(text, /WebGPURenderer.*use supple-three\/engine/);
    await chromium.close();
    assert.deepEqual(said, []);
  });

test('the element shows a file, and says why it cannot', async () => {
  const own = await browser.newPage({ viewport: { width: 400, height: 300 } });
  own.setDefaultTimeout(180_000);
  await own.goto(`http://127.0.0.1:${server.address().port}/viewer.html`);
  await own.waitForFunction(() => document.querySelector('supple-viewer').skin, null, { timeout: 240_000 });
  assert.deepEqual(await own.evaluate(() => document.querySelector('supple-viewer').skin.deformers), ['drivers']);
  const picture = () => own.locator('supple-viewer').screenshot();
  const first = await picture();
  await own.waitForTimeout(700);
  assert.ok(!first.equals(await picture()), 'its clip plays');
  if (process.env.SUPPLE_SCREENSHOTS) writeFileSync(join(process.env.SUPPLE_SCREENSHOTS, 'viewer.png'), await picture());
  const reason = await own.evaluate(() => new Promise((done) => {
    const viewer = document.querySelector('supple-viewer');
    viewer.addEventListener('error', ({ detail }) => done(detail.message));
    viewer.setAttribute('src', 'nowhere.glb');
  }));
  assert.match(reason, /nowhere\.glb.*404/);
  await own.close();
});

test('nothing fails on the way', () => assert.deepEqual(problems, []));
