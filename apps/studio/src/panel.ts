// The panel beside the stage: layers, views, colours, modes, joints, live input, files.
import { button, choice, element, section, slider, toggle } from './dom';
import { FilePanel } from './file_panel';
import { FleshPanel } from './flesh_panel';
import { JointsPanel } from './joints_panel';
import { KinodynamicsPanel } from './kinodynamics_panel';
import { legendElement, showLegend } from './legend';
import { focusOf } from './focus';
import { LivePanel } from './live_panel';
import type { Model } from './model';
import { resetJoint } from './moments';
import { ModesPanel } from './modes_panel';
import { RecordPanel } from './record_panel';
import { type Colouring, type Skinning, colouringNames, colourings, correctionsName, isOfFlow, poseSpaceName, skinningNames, skinnings } from './settings';
import type { Studio } from './studio';

export interface Actions {
  open: () => void;
  openFolder: () => void;
  openExamples: () => void;
  saveModel: () => void;
  savePicture: () => void;
  check: () => void;
  theme: () => void;
}

/** Panels that live as long as their model. */
interface OfModel {
  model: Model;
  file: FilePanel;
  flesh: FleshPanel;
  kinodynamics: KinodynamicsPanel;
  joints: JointsPanel;
  live: LivePanel;
}

export class Panel {
  private readonly figures = element('p', { className: 'figures' });
  private readonly legend = legendElement();
  private readonly modes: ModesPanel;
  readonly record: RecordPanel;
  private readonly opened = new Map<string, boolean>(); // sections that were opened or closed by hand
  private ofModel: OfModel | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly studio: Studio,
    private readonly actions: Actions,
  ) {
    const setModes = (value: number) => {
      studio.settings.modes = value;
      studio.changed();
    };
    this.modes = new ModesPanel(studio.busy, setModes, () => void studio.cancel());
    this.record = new RecordPanel(studio);
    studio.onchoose = () => this.rebuild();
    studio.onturn = () => this.ofModel?.joints.refresh();
  }

  get live(): LivePanel | undefined {
    return this.ofModel?.live;
  }

  /** Shows the model on stage and its settings. */
  rebuild(): void {
    const { studio, actions } = this;
    const { now } = studio;
    if (this.ofModel && this.ofModel.model !== now?.model) {
      this.ofModel.live.close();
      this.ofModel.file.close();
      this.ofModel = null;
    }
    const heading = element('h2', { textContent: now?.model.name ?? 'Supple studio' });
    const files = element(
      'div',
      { className: 'row' },
      button('Open…', 'Open a .glb, or a .gltf with its parts (o)', actions.open),
      button('Save .glb', 'Export what is on stage', actions.saveModel),
      button('Picture', 'Save a PNG (p)', actions.savePicture),
      button('◐', 'Dark or light (d)', actions.theme),
    );
    if (!now) return this.place.replaceChildren(heading, files, this.hint());
    const { model } = now;
    this.ofModel ??= {
      model,
      file: new FilePanel(model, studio.busy, actions.openFolder),
      flesh: new FleshPanel(studio, model.character.flesh),
      kinodynamics: new KinodynamicsPanel(studio, model.kinodynamics, () => this.rebuild()),
      joints: new JointsPanel(model.character, {
        onbegin: () => studio.begin(),
        onturn: () => studio.handled(),
        onreset: (joint) => resetJoint(studio, joint),
      }),
      live: new LivePanel(model.character, studio.stage, () => studio.moved()),
    };
    this.modes.show(model.character, studio.examples, studio.settings.modes);
    const { file, flesh, kinodynamics, joints, live } = this.ofModel;
    kinodynamics.show();
    const focused = focusOf(this.place);
    this.place.replaceChildren(
      heading, this.figures, files, this.layers(), this.view(), this.modes.section, flesh.section, kinodynamics.section, this.colours(), joints.section, live.section, this.examples(), this.section('Record', false, ...this.record.contents()), file.section, this.hint(),
    );
    focused();
  }

  /** What changes by itself, a few times a second. */
  refresh(): void {
    const { studio } = this;
    if (!studio.now) return;
    const { vertexCount, character } = studio.now.model;
    const { milliseconds } = studio.now.skinner;
    const space = character.poseSpace ? ` · ${poseSpaceName(character.poseSpace)}` : '';
    this.figures.textContent = `${vertexCount.toLocaleString('en')} vertices${space} · ${studio.pace.text(milliseconds)}`;
    showLegend(this.legend, studio.legend);
    if (!studio.posedByHand) this.ofModel?.joints.refresh();
  }

  private set<K extends keyof Studio['settings']>(name: K, value: Studio['settings'][K]): void {
    this.studio.settings[name] = value;
    this.studio.changed();
  }

  private setBlend(blend: Skinning): void {
    this.set('blend', blend);
    this.rebuild(); // with other panels and colours
  }

  /** A section that stays as it was opened when the panel is built anew. */
  private section(title: string, open: boolean, ...children: (Node | string)[]): HTMLDetailsElement {
    const result = section(title, this.opened.get(title) ?? open, ...children);
    result.addEventListener('toggle', () => this.opened.set(title, result.open));
    return result;
  }

  private layers(): HTMLElement {
    const { settings, now } = this.studio;
    const { character } = now!.model;
    const { flesh } = character;
    const { kinodynamics } = now!.model;
    const corrections = correctionsName(character);
    const swings = flesh.elements.length > 0;
    const smoothed = character.parts.some((part) => part.smoothed);
    const fitHint = element('p', { className: 'hint', textContent: 'No corrections in this file: supple fit makes them.' });
    return this.section(
      'Layers',
      true,
      choice('blend', skinnings.filter((way) => way !== 'kinodynamic' || kinodynamics.flowing.includes(true)), skinningNames, settings.blend, (blend) => this.setBlend(blend)),
      ...(corrections ? [toggle(corrections, settings.corrections, (on) => this.set('corrections', on))] : []),
      ...(smoothed ? [toggle('Delta mush', settings.smoothing, (on) => this.set('smoothing', on))] : []),
      ...(swings ? [toggle('Flesh', settings.flesh, (on) => this.set('flesh', on))] : []),
      ...(corrections || smoothed || swings ? [] : [fitHint]),
    );
  }

  private view(): HTMLElement {
    const { settings, now } = this.studio;
    const parts = now!.model.parts.map((part, p) =>
      toggle(part.tables.name || `part ${p + 1}`, !settings.hidden.has(p), (shown) => {
        if (shown) settings.hidden.delete(p);
        else settings.hidden.add(p);
        this.studio.changed();
      }),
    );
    return this.section(
      'View',
      true,
      toggle('linear blend left of a line', settings.wipe, (on) => this.set('wipe', on)),
      toggle('side by side with linear blend', settings.split, (on) => this.set('split', on)),
      toggle('joints to drag', settings.handles, (on) => this.set('handles', on)),
      toggle('rings to turn the chosen joint', settings.rings, (on) => this.set('rings', on)),
      toggle('skeleton', settings.skeleton, (on) => this.set('skeleton', on)),
      toggle('wireframe', settings.wireframe, (on) => this.set('wireframe', on)),
      ...(parts.length > 1 ? [this.section(`Parts (${parts.length})`, false, ...parts)] : []),
    );
  }

  private colours(): HTMLElement {
    const { settings, now, examples } = this.studio;
    const { character } = now!.model;
    const driven = character.drivers.length > 0;
    const swings = character.flesh.elements.length > 0;
    const flows = settings.blend === 'kinodynamic';
    const smoothed = character.parts.some((part) => part.smoothed);
    const possible: Partial<Record<Colouring, boolean>> = { none: true, error: examples !== null, displacement: driven || character.poseSpace !== null || smoothed || swings || flows, weights: true, supports: driven, modes: driven, flesh: swings };
    const offered = colourings.filter((c) => (isOfFlow(c) ? flows : possible[c]));
    const joint = element('select', { attributes: { 'aria-label': 'Joint' } });
    character.joints.forEach((candidate, j) => {
      if (candidate.skinned) joint.add(new Option(candidate.name, String(j), false, j === settings.joint));
    });
    joint.onchange = () => {
      this.set('joint', Number(joint.value));
      this.ofModel?.kinodynamics.show();
    };
    return this.section(
      'Colours',
      false,
      choice('show', offered, colouringNames, settings.colouring, (colouring) => this.set('colouring', colouring)),
      element('label', { className: 'row' }, element('span', { textContent: 'joint' }), joint),
      this.legend,
    );
  }

  private examples(): HTMLElement {
    const { studio, actions } = this;
    const { examples } = studio;
    const choose = element('div', { className: 'row' }, button('Open a set…', 'Choose the files of an example set', actions.openExamples));
    if (!examples) return this.section('Examples', false, choose);
    const { row } = slider({
      label: 'example',
      min: -1,
      max: examples.count - 1,
      step: 1,
      value: studio.example,
      show: (value) => (value < 0 ? 'clip' : `${value + 1} of ${examples.count}`),
      onslide: (value) => {
        void studio.choose(value);
        name.textContent = examples.names[value] ?? '';
      },
    });
    const name = element('p', { className: 'hint', textContent: examples.names[studio.example] ?? '' });
    return this.section('Examples', true, choose, row, name);
  }

  private hint(): HTMLElement {
    return element(
      'p',
      { className: 'hint' },
      'Drop a .glb, or a .gltf with its parts or folder, anywhere. Space plays, ←/→ step, 1 linear, 2 dual quaternions, 3 kinodynamic, e corrections, m delta mush, b flesh, w line, s side by side, x wireframe, k skeleton, g rings (, . another joint, a another ring, ↑ ↓ turn), Ctrl+Z undo, r rest, f frame, p picture, t without background, v record, d dark. ',
      button('check the shader', "Compare this browser's vertex shader with the engine", this.actions.check),
    );
  }
}
