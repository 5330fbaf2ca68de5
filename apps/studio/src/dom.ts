// Elements in one expression each.

type Child = Node | string | null;
type Properties<T> = Partial<Omit<T, 'attributes'>> & { attributes?: Record<string, string> };

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties<HTMLElementTagNameMap[K]> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const { attributes, ...own } = properties;
  const result = Object.assign(document.createElement(tag), own) as HTMLElementTagNameMap[K];
  for (const [name, value] of Object.entries(attributes ?? {})) result.setAttribute(name, value);
  result.append(...children.filter((child): child is Node | string => child !== null));
  return result;
}

export function button(label: string, title: string, onclick: () => void): HTMLButtonElement {
  return element('button', { type: 'button', textContent: label, title, onclick });
}

/** A folding section of the panel. */
export function section(title: string, open: boolean, ...children: Child[]): HTMLDetailsElement {
  return element('details', { open, className: 'section' }, element('summary', { textContent: title }), ...children);
}

export function choice<T extends string>(
  label: string,
  values: readonly T[],
  names: Record<T, string>,
  chosen: T,
  onchoice: (value: T) => void,
): HTMLLabelElement {
  const select = element('select', { attributes: { 'aria-label': label } });
  for (const value of values) select.add(new Option(names[value], value, false, value === chosen));
  select.onchange = () => onchoice(select.value as T);
  return element('label', { className: 'row' }, element('span', { textContent: label }), select);
}

export interface SliderOptions {
  label: string;
  min: number;
  max: number;
  step: number;
  value: number;
  show: (value: number) => string;
  onslide: (value: number) => void;
  /** A value is about to be changed, by a slide or by a number. */
  onbegin?: () => void;
  /** The number beside the slider can be typed: what it is called. */
  entry?: string;
}

/** A slider with its value beside it, which may be typed; `set` moves it without calling back. */
export function slider(options: SliderOptions): { row: HTMLElement; set: (value: number) => void } {
  const { label, min, max, step, value, show, onslide, onbegin, entry } = options;
  const range = { min: String(min), max: String(max) };
  const number = entry
    ? element('input', { type: 'number', ...range, step: 'any', attributes: { 'aria-label': entry } })
    : element('output', {});
  const write = (to: number) => {
    if (number instanceof HTMLInputElement) number.value = String(Math.round(10 * to) / 10);
    else number.textContent = show(to);
  };
  const input = element('input', { type: 'range', attributes: { 'aria-label': label } });
  Object.assign(input, { ...range, step: String(step), value: String(value) });
  let sliding = false;
  input.oninput = () => {
    if (!sliding) onbegin?.();
    sliding = true;
    write(input.valueAsNumber);
    onslide(input.valueAsNumber);
  };
  input.onchange = () => (sliding = false);
  if (number instanceof HTMLInputElement)
    number.onchange = () => {
      if (!Number.isFinite(number.valueAsNumber)) return write(input.valueAsNumber);
      const to = Math.min(Math.max(number.valueAsNumber, min), max);
      onbegin?.();
      set(to);
      onslide(to);
    };
  const set = (to: number) => {
    input.value = String(to);
    if (document.activeElement !== number) write(to);
  };
  write(value);
  return { row: element('label', { className: 'row' }, element('span', { textContent: label }), input, number), set };
}

export function toggle(label: string, checked: boolean, onchange: (checked: boolean) => void): HTMLLabelElement {
  const input = element('input', { type: 'checkbox', checked });
  input.onchange = () => onchange(input.checked);
  return element('label', { className: 'row' }, input, element('span', { textContent: label }));
}
