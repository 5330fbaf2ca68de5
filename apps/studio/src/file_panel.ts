// The file on stage: another one from a folder, and what the validator of Khronos says about this one.
import type { Busy } from './busy';
import { button, element, section } from './dom';
import { problem } from './messages';
import type { Model } from './model';
import { Cancelled } from './remote';
import { Validator, severities } from './validator';
import type { Report } from './worker/validator_worker';

const mostShown = 100;

const counted = (count: number, [one, many]: readonly [string, string]) => `${count} ${count === 1 ? one : many}`;

function summary({ version, issues }: Report): string {
  const counts = [issues.numErrors, issues.numWarnings, issues.numInfos, issues.numHints];
  const found = severities.flatMap(({ words }, i) => (counts[i] > 0 || i < 2 ? [counted(counts[i], words)] : []));
  return `${found.join(', ')} (glTF validator ${version}).`;
}

/** Worst first, with the place of each in the file's JSON. */
function messageList({ issues: { messages, truncated } }: Report): HTMLElement[] {
  const sorted = [...messages].sort((a, b) => a.severity - b.severity);
  const items = sorted.slice(0, mostShown).map(({ severity, code, message, pointer, offset }) =>
    element(
      'li',
      { className: `issue ${severities[severity].words[0]}` },
      element('strong', { textContent: `${severities[severity].words[0]}: ` }),
      message,
      element('code', { textContent: pointer ?? (offset === undefined ? code : `byte ${offset}`), title: code }),
    ),
  );
  const list = element('ol', { className: 'issues', tabIndex: 0, attributes: { 'aria-label': 'What the validator found' } }, ...items);
  const more = truncated || messages.length > mostShown ? [element('p', { className: 'hint', textContent: `Only the first ${items.length} are shown.` })] : [];
  return items.length > 0 ? [list, ...more] : [];
}

export class FilePanel {
  readonly section: HTMLElement;
  private readonly found = element('div', { attributes: { role: 'status' } });
  private readonly start = button('Validate', 'Check this file with the glTF validator of Khronos', () => void this.validate());
  private validator: Validator | null = null;

  constructor(
    private readonly model: Model,
    private readonly busy: Busy,
    openFolder: () => void,
  ) {
    this.section = section(
      'File',
      false,
      element('div', { className: 'row' }, this.start, button('Open a folder…', 'Choose a folder with a character in it', openFolder)),
      this.found,
    );
  }

  private async validate(): Promise<void> {
    const { model } = this;
    this.close();
    const validator = (this.validator = new Validator());
    this.start.disabled = true;
    try {
      const report = await this.busy.during(`Validating ${model.name}`, () => validator.check(model.name, model.bytes, model.beside), () => validator.close());
      this.found.replaceChildren(element('p', { textContent: summary(report) }), ...messageList(report));
    } catch (error) {
      if (!(error instanceof Cancelled)) problem(error, `Cannot validate ${model.name}`);
    } finally {
      validator.close();
      this.start.disabled = false;
    }
  }

  /** Ends what is being done. */
  close(): void {
    this.validator?.close();
    this.validator = null;
  }
}
