// Keys that do what buttons do. Capitals count as small letters: CapsLock is no other keyboard.

/** Whether a control needs the key for itself. */
function ownKey(target: EventTarget | null, key: string): boolean {
  if (target instanceof HTMLSelectElement) return true;
  if (target instanceof HTMLButtonElement || (target instanceof HTMLElement && target.tagName === 'SUMMARY')) return key === ' ' || key === 'enter';
  if (!(target instanceof HTMLInputElement)) return false;
  return { checkbox: key === ' ', range: key.startsWith('arrow') }[target.type as string] ?? true;
}

/** `commands`: by the key, a letter small; with "ctrl+" where Control or Command is held, "shift+" before that. One that returns false had no
 * use for its key. */
export function listen(commands: Record<string, () => unknown>): void {
  addEventListener('keydown', (event) => {
    const key = event.key.toLowerCase();
    const held = event.ctrlKey || event.metaKey;
    const command = commands[`${held && event.shiftKey ? 'shift+' : ''}${held ? 'ctrl+' : ''}${key}`];
    if (!command || event.altKey || ownKey(event.target, key)) return;
    if (command() !== false) event.preventDefault();
  });
}
