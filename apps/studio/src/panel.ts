// The panel beside the stage: layers, views, colours, modes, joints, live input, files.
import { button, choice, element, section, slider, toggle } from './dom';
import { JointsPanel } from './joints_panel';
import { legendElement, showLegend } from './legend';
import { LivePanel } from './live_panel';
import { ModesPanel } from './modes_panel';
import { colouringNames, colourings } from './settings';
import type { Studio } from './studio';

export interface Actions {
  open: () => void;
  openExamples: () => void;
  saveModel: () => void;
  savePicture: () => void;
  check: () => void;
  theme: () => void;
}

export class Panel {
  private readonly figures = element('p', { className: 'figures' });
  private readonly legend = legendElement();
  private joints: JointsPanel | null = null;
  live: LivePanel | null = null;

  constructor(
    private readonly place: HTMLElement,
    private readonly studio: Studio,
    private readonly actions: Actions,
  ) {}

  /** Builds everything anew for the model on stage. */
  rebuild(): void {
    const { studio, actions } = this;
    this.live?.end('Off.');
    this.joints = this.live = null;
    const heading = element('h1', { textContent: studio.now?.model.name ?? 'Supple studio' });
    const files = element(
      'div',
      { className: 'row' },
      button('Open…', 'Open a .glb (o)', actions.open),
      button('Save .glb', 'Export what is on stage', actions.saveModel),
      button('Picture', 'Save a PNG (p)', actions.savePicture),
      button('◐', 'Dark or light (d)', actions.theme),
    );
    if (!studio.now) return this.place.replaceChildren(heading, files, this.hint());
    const { character } = studio.now.model;
    this.joints = new JointsPanel(character, () => studio.handled());
    this.live = new LivePanel(character, () => {
      studio.handled();
      this.joints?.refresh(true);
    });
    const modes = new ModesPanel(character, studio.examples, studio.settings.modes, (value) => {
      studio.settings.modes = value;
      studio.changed();
    });
    this.place.replaceChildren(
      heading, this.figures, files, this.layers(), this.view(), modes.section, this.colours(), this.joints.section, this.live.section, this.examples(), this.hint(),
    );
  }

  /** What changes by itself, a few times a second. */
  refresh(): void {
    const { studio } = this;
    if (!studio.now) return;
    const { vertexCount } = studio.now.model;
    this.figures.textContent = `${vertexCount.toLocaleString('en')} vertices · ${studio.frameTime.toFixed(1)} ms a frame`;
    showLegend(this.legend, studio.legend);
    this.joints?.refresh(studio.playback.playing || studio.example >= 0);
  }

  private set<K extends keyof Studio['settings']>(name: K, value: Studio['settings'][K]): void {
    this.studio.settings[name] = value;
    this.studio.changed();
  }

  private layers(): HTMLElement {
    const { settings, now } = this.studio;
    const driven = now!.model.character.drivers.length > 0;
    return section(
      'Layers',
      true,
      choice('blend', ['linear', 'dual-quaternion'] as const, { linear: 'linear', 'dual-quaternion': 'dual quaternions' }, settings.blend, (blend) => this.set('blend', blend)),
      driven ? toggle('EigenSkin', settings.corrections, (on) => this.set('corrections', on)) : element('p', { className: 'hint', textContent: 'No corrections in this file: supple fit makes them.' }),
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
    return section(
      'View',
      true,
      toggle('side by side with linear blend', settings.split, (on) => this.set('split', on)),
      toggle('joints to drag', settings.handles, (on) => this.set('handles', on)),
      ...(parts.length > 1 ? parts : []),
    );
  }

  private colours(): HTMLElement {
    const { settings, now, examples } = this.studio;
    const { character } = now!.model;
    const offered = colourings.filter((c) => (c !== 'error' || examples) && (!['supports', 'modes', 'displacement'].includes(c) || character.drivers.length > 0));
    const joint = element('select', { attributes: { 'aria-label': 'Joint' } });
    character.joints.forEach((candidate, j) => {
      if (candidate.skinned) joint.add(new Option(candidate.name, String(j), false, j === settings.joint));
    });
    joint.onchange = () => this.set('joint', Number(joint.value));
    return section(
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
    const result = section('Examples', examples !== null, element('div', { className: 'row' }, button('Open a set…', 'Choose the files of an example set', actions.openExamples)));
    if (!examples) return result;
    const { row } = slider({
      label: 'example',
      min: -1,
      max: examples.count - 1,
      step: 1,
      value: studio.example,
      show: (value) => (value < 0 ? 'clip' : `${value + 1} of ${examples.count}`),
      onslide: (value) => {
        studio.choose(value);
        name.textContent = value < 0 ? '' : examples.names[value];
      },
    });
    const name = element('p', { className: 'hint' });
    result.append(row, name);
    return result;
  }

  private hint(): HTMLElement {
    return element(
      'p',
      { className: 'hint' },
      'Drop a .glb anywhere. Space plays, ←/→ step, 1 linear, 2 dual quaternions, e EigenSkin, s side by side, r rest, f frame, p picture, d dark. ',
      button('check the shader', "Compare this browser's vertex shader with the engine", this.actions.check),
    );
  }
}
