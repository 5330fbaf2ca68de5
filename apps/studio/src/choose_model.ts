// Which of several models is meant.
import { button, element } from './dom';
import type { Given } from './given';

/** Asks; null where nobody wants any. */
export function chooseModel(models: readonly Given[]): Promise<Given | null> {
  return new Promise((resolve) => {
    const title = element('h2', { id: 'which-model', textContent: `${models.length} models: which one?` });
    const dialog = element('dialog', { className: 'choice', attributes: { 'aria-labelledby': title.id } }, title);
    const end = (chosen: Given | null) => {
      resolve(chosen);
      dialog.remove();
    };
    const list = element('ul', {});
    for (const model of models) list.append(element('li', {}, button(model.path, `Open ${model.path}`, () => end(model))));
    dialog.append(list, button('Cancel', 'Open none of them', () => end(null)));
    dialog.onclose = () => end(null);
    document.body.append(dialog);
    dialog.showModal();
  });
}
