// The file that `supple studio` was given: when it changes on disk, its new version takes its place, seen as before.
import { keepView } from './kept_view';
import { note, problem } from './messages';
import type { Model } from './model';
import { type Session, modelBytes } from './sources';
import type { Studio } from './studio';
import { watch } from './watch';

export interface Reopening {
  open: (bytes: Uint8Array, name: string) => Promise<boolean>;
  openExamples: (folder: string) => Promise<void>;
  rebuild: () => void;
}

export class ServedFile {
  private model: Model | undefined; // its version on stage

  /** To be made when the file is on stage. */
  constructor(
    private readonly studio: Studio,
    private readonly from: Session,
    private readonly again: Reopening,
  ) {
    this.model = studio.now?.model;
    void watch(from, {
      onchange: () => this.reload().catch((error) => problem(error, `${from.name} has changed`)),
      onproblem: (error) => this.isShown() && problem(error, `${from.name} has changed and cannot be read`),
    });
  }

  /** Whoever opened another file meanwhile wants to see that one. */
  private isShown(): boolean {
    return this.studio.now !== null && this.studio.now.model === this.model;
  }

  private async reload(): Promise<void> {
    const { studio, from, again } = this;
    const bytes = await modelBytes(from);
    if (!this.isShown()) return;
    const { example } = studio;
    const { colouring } = studio.settings;
    const restore = keepView(studio);
    if (!(await again.open(bytes, from.name))) return;
    this.model = studio.now!.model;
    restore();
    if (from.examples) {
      await again.openExamples(from.examples);
      if (studio.examples && example >= 0 && example < studio.examples.count) {
        studio.settings.colouring = colouring;
        await studio.choose(example);
      }
    }
    again.rebuild();
    note(from.name, 'has changed on disk: this is the new version.');
  }
}
