// Starts the studio: engine, session, first frame; keys, drops and downloads.
import { Timer } from 'three';
import type { Beside } from './beside';
import { Busy } from './busy';
import * as early from './early';
import { type Given, choose, dropped } from './given';
import { chooseNext } from './joint_choice';
import { listen } from './keys';
import { clearMessages, note, problem, showUncaught } from './messages';
import { redo, resetAll, undo } from './moments';
import { Panel } from './panel';
import { Playback } from './playback';
import { reached } from './reached';
import { checkShader } from './shader_check';
import { Cancelled } from './remote';
import { layersOf } from './settings';
import { ServedFile } from './served_file';
import { download, modelBytes } from './sources';
import { Stage } from './stage';
import { Studio } from './studio';
import { takeFiles } from './take_files';
import { Tour } from './tour';
import { TourBar } from './tour_bar';
import type { ExampleSource } from './worker/messages';

showUncaught();
reached('script of the page');
const by = (id: string) => document.getElementById(id)!;

async function start(): Promise<void> {
  const stage = new Stage(by('stage'), by('labels'));
  reached('stage');
  const [compiled, engine, { from, stops, stop }] = await Promise.all([early.compiled, early.engine, early.beginning]);
  const playback = new Playback(by('playback'), () => studio.released());
  const opening = { engine, compiled, rows: stage.renderer.capabilities.maxTextureSize };
  const studio: Studio = new Studio(opening, stage, playback, new Busy(by('busy')));

  const theme = (dark: boolean) => {
    studio.settings.dark = dark;
    document.documentElement.dataset.theme = dark ? 'dark' : 'light';
    stage.setTheme(dark);
  };
  const open = async (bytes: Uint8Array, name: string, beside: Beside | null = null) => {
    try {
      if (!(await studio.open(bytes, name, beside))) return false;
    } catch (error) {
      problem(error, `Cannot open ${name}`);
      return false;
    }
    clearMessages();
    tour.leave();
    panel.rebuild();
    const { model } = studio.now!;
    for (const line of [...model.notes, ...model.character.warnings].slice(0, 3)) note(name, line);
    return true;
  };
  const openExamples = async (source: ExampleSource) => {
    try {
      if (await studio.openExamples(source)) panel.rebuild();
    } catch (error) {
      problem(error, 'Cannot open the example set');
    }
  };
  const take = (given: Promise<readonly Given[]>) =>
    void given
      .then((all) => takeFiles(all, { open, openExamples, play: (text, name) => panel.live?.play(text, name) }))
      .catch((error) => problem(error, 'Cannot open this'));
  const named = (extension: string) => `${(studio.now?.model.name ?? 'supple').replace(/\.[^.]*$/, '')}.${extension}`;
  const actions = {
    open: () => choose({ accept: '.glb,.gltf,.vrm,.bin,.png,.jpg,.jpeg,.webp' }, (given) => take(Promise.resolve(given))),
    openFolder: () => choose('folder', (given) => take(Promise.resolve(given))),
    openExamples: () => choose({ accept: '.json,.npy' }, (given) => take(Promise.resolve(given))),
    saveModel: () => {
      studio.now?.model
        .exportGlb(layersOf(studio.settings))
        .then((bytes) => download(new Blob([bytes as Uint8Array<ArrayBuffer>], { type: 'model/gltf-binary' }), named('studio.glb')))
        .catch((error) => problem(error, 'Cannot export'));
    },
    savePicture: () => void stage.picture().then((blob) => download(blob, named('png'))).catch((error) => problem(error, 'Picture')),
    check: async () => {
      const { now } = studio;
      if (!now) return;
      try {
        const { worst, worstNormal, vertices, part, vertex, blend } = await studio.busy.during('Checking the shader', () => checkShader(now.model));
        const where = vertex >= 0 ? `Worst at vertex ${vertex} of ${part}, ${blend}.` : '';
        note(
          'Shader against engine',
          `${vertices.toLocaleString('en')} vertices compared: at most ${worst.toExponential(1)} of the model's size apart, normals ${worstNormal.toExponential(1)}.`,
          where,
        );
      } catch (error) {
        problem(error, 'Shader check');
      }
    },
    theme: () => theme(!studio.settings.dark),
  };
  const panel = new Panel(by('panel'), studio, actions);
  const tour = new TourBar(by('argument'), studio, new Tour(studio), stops, () => panel.rebuild());

  addEventListener('dragover', (event) => event.preventDefault());
  addEventListener('drop', (event) => {
    event.preventDefault();
    take(dropped(event.dataTransfer));
  });
  const set = <K extends keyof Studio['settings']>(name: K, value: Studio['settings'][K]) => {
    studio.settings[name] = value;
    studio.changed();
    panel.rebuild();
  };
  listen({
    ' ': () => playback.toggle(),
    arrowleft: () => playback.step(-1 / 30),
    arrowright: () => playback.step(1 / 30),
    '1': () => set('blend', 'linear'),
    '2': () => set('blend', 'dual-quaternion'),
    '3': () => studio.now?.model.kinodynamics.flowing.includes(true) && set('blend', 'kinodynamic'),
    e: () => set('corrections', !studio.settings.corrections),
    m: () => set('smoothing', !studio.settings.smoothing),
    b: () => set('flesh', !studio.settings.flesh),
    w: () => set('wipe', !studio.settings.wipe),
    s: () => set('split', !studio.settings.split),
    x: () => set('wireframe', !studio.settings.wireframe),
    k: () => set('skeleton', !studio.settings.skeleton),
    g: () => set('rings', !studio.settings.rings),
    a: () => studio.now?.gizmo.markNext(),
    ',': () => studio.settings.rings && chooseNext(studio, -1),
    '.': () => studio.settings.rings && chooseNext(studio, 1),
    arrowup: () => studio.now?.gizmo.turn(1) ?? false,
    arrowdown: () => studio.now?.gizmo.turn(-1) ?? false,
    r: () => resetAll(studio),
    f: () => void studio.frameAll(),
    o: actions.open,
    p: actions.savePicture,
    t: () => void panel.record.picture(),
    v: () => void panel.record.record(),
    d: actions.theme,
    'ctrl+z': () => undo(studio),
    'shift+ctrl+z': () => redo(studio),
    'ctrl+y': () => redo(studio),
  });
  studio.onrefused = (error) => {
    if (!(error instanceof Cancelled)) problem(error, 'This cannot be shown');
    panel.rebuild();
  };
  playback.onundo = () => undo(studio);
  playback.onredo = () => redo(studio);
  const showHistory = (studio.history.onchange = () => {
    playback.undo.disabled = !studio.history.canUndo;
    playback.redo.disabled = !studio.history.canRedo;
  });
  showHistory();

  theme(studio.settings.dark);
  panel.rebuild();
  const opened = stop ? tour.visit(stops.indexOf(stop)) : modelBytes(from)
    .then((bytes) => open(bytes, from.name))
    .catch((error) => problem(error, 'No model to start with: drop a .glb'));
  await opened;
  new ServedFile(studio, from, { open, openExamples, rebuild: () => panel.rebuild() });
  const timer = new Timer();
  let shown = 0;
  stage.run((time) => {
    timer.update(time);
    try {
      studio.frame(Math.min(timer.getDelta(), 0.25));
    } catch (error) {
      problem(error, 'This cannot be shown');
      studio.fallBack();
      panel.rebuild();
    }
    if (studio.pictures > 0) reached('first picture');
    if (time - shown > 150) {
      shown = time;
      panel.refresh();
      tour.refresh();
    }
  });
  // For tests and for the curious.
  Object.assign(window, { studio, tour, checkShader, resetAll: () => resetAll(studio) });

  if (from.examples && studio.now) await openExamples(from.examples);
}

start().catch((error) => problem(error, 'The studio cannot start'));
