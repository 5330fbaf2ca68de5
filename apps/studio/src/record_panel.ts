// Recording what is on stage: a video, a GIF, or a picture without background.
import { button, choice, element } from './dom';
import { problem } from './messages';
import { type Recording, formats, record, subjects, transparentPicture } from './record/recorder';
import { Cancelled } from './remote';
import { download } from './sources';
import type { Studio } from './studio';

const subjectNames = { clip: 'the clip', turntable: 'a turntable of this pose' };
const formatNames = { video: 'video', gif: 'animated GIF' };
const rates = ['10', '15', '20', '25', '30', '50', '60'] as const;
const rateNames = Object.fromEntries(rates.map((rate) => [rate, `${rate} a second`])) as Record<(typeof rates)[number], string>;
const sizes = ['1', '0.5', '0.25'] as const;
const sizeNames = { '1': 'as on stage', '0.5': 'half', '0.25': 'a quarter' };

export class RecordPanel {
  private readonly recording: Recording = { subject: 'clip', format: 'video', rate: 30, scale: devicePixelRatio > 1.5 ? 0.5 : 1 };

  constructor(private readonly studio: Studio) {}

  /** What is in the section of the panel. */
  contents(): HTMLElement[] {
    const { recording, studio } = this;
    const possible = studio.playback.current ? subjects : (['turntable'] as const);
    if (!studio.playback.current) recording.subject = 'turntable';
    const hint = element('p', { className: 'hint', textContent: 'Picture by picture, and not by the clock: as smooth on a slow machine.' });
    return [
      choice('what', possible, subjectNames, recording.subject, (subject) => (recording.subject = subject)),
      choice('as', formats, formatNames, recording.format, (format) => (recording.format = format)),
      choice('pictures', rates, rateNames, String(recording.rate) as (typeof rates)[number], (rate) => (recording.rate = Number(rate))),
      choice('size', sizes, sizeNames, String(recording.scale) as (typeof sizes)[number], (scale) => (recording.scale = Number(scale))),
      element(
        'div',
        { className: 'row' },
        button('Record', 'Record and save it (v)', () => void this.record()),
        button('Transparent picture', 'Save a PNG without background (t)', () => void this.picture()),
      ),
      hint,
    ];
  }

  private name(extension: string): string {
    return `${(this.studio.now?.model.name ?? 'supple').replace(/\.[^.]*$/, '')}.${extension}`;
  }

  async record(): Promise<void> {
    const { studio } = this;
    if (!studio.now || studio.recording) return;
    let cancelled = false;
    const title = this.recording.subject === 'clip' ? 'Recording the clip' : 'Recording a turntable';
    try {
      const { file, extension } = await studio.busy.during(title, (tell) => record(studio, this.recording, tell, () => cancelled), () => (cancelled = true));
      download(file, this.name(extension));
    } catch (error) {
      if (!(error instanceof Cancelled)) problem(error, title);
    }
  }

  async picture(): Promise<void> {
    const { studio } = this;
    if (!studio.now || studio.recording) return;
    try {
      download(await transparentPicture(studio), this.name('png'));
    } catch (error) {
      problem(error, 'Picture');
    }
  }
}
