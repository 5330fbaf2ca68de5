// What went wrong, and what to do about it: shown, never swallowed.
import { EngineError } from '../engine/engine';
import { button, element } from './dom';

const place = () => document.getElementById('messages')!;

function show(kind: 'error' | 'note', title: string, lines: string[]): void {
  const message = element(
    'div',
    { className: `message ${kind}`, attributes: kind === 'error' ? { role: 'alert' } : {} },
    element('strong', { textContent: title }),
    ...lines.filter((line) => line !== '').map((line) => element('p', { textContent: line })),
    button('×', 'Close', () => message.remove()),
  );
  for (const present of [...place().children]) if (present.textContent === message.textContent) present.remove();
  while (place().children.length >= 4) place().firstElementChild!.remove();
  place().append(message);
}

export function note(title: string, ...lines: string[]): void {
  show('note', title, lines);
}

export function problem(error: unknown, doing: string): void {
  if (error instanceof EngineError) {
    const file = error.item.split(': ')[0]; // an item begins with its file, which may have been named already
    const title = doing.endsWith(file) ? doing + error.item.slice(file.length) : `${doing}: ${error.item}`;
    show('error', title, [error.problem, error.remedy]);
  }
  else show('error', doing, [error instanceof Error ? error.message : String(error)]);
}

export function clearMessages(): void {
  place().replaceChildren();
}

/** Errors that nothing else caught. */
export function showUncaught(): void {
  addEventListener('error', (event) => problem(event.error ?? event.message, 'The page stumbled'));
  addEventListener('unhandledrejection', (event) => problem(event.reason, 'The page stumbled'));
}
