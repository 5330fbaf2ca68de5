// The keyboard stays where it was when controls are built anew.

/** What tells one control of a place from the others: its kind, its name, and how many of that name come before it. */
const nameOf = (control: Element) => `${control.tagName} ${control.getAttribute('aria-label') ?? control.closest('label')?.textContent ?? control.textContent}`;
const controls = (place: HTMLElement) => [...place.querySelectorAll<HTMLElement>('button, input, select, summary, a')];

/** Remembers which control has the keyboard; what it returns gives the keyboard to the one that took its place. */
export function focusOf(place: HTMLElement): () => void {
  const focused = document.activeElement;
  if (!focused || !place.contains(focused)) return () => {};
  const name = nameOf(focused);
  const number = controls(place).filter((control) => nameOf(control) === name).indexOf(focused as HTMLElement);
  return () => {
    if (document.activeElement !== focused) controls(place).filter((control) => nameOf(control) === name)[number]?.focus({ preventScroll: true });
  };
}
