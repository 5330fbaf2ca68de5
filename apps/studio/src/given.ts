// Files that people drop or choose, with the paths that they have in their folders.

export interface Given {
  path: string; // 'folder/hand.gltf', or the name alone
  file: File;
}

const mostFiles = 5000; // of a folder: whoever drops more did not mean it

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject));
const someOf = (reader: FileSystemDirectoryReader) => new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));

async function collect(entry: FileSystemEntry, found: Given[]): Promise<void> {
  if (found.length >= mostFiles) throw new Error(`There are more than ${mostFiles} files in it: take the folder of the character alone.`);
  if (entry.isFile) {
    found.push({ path: entry.fullPath.replace(/^\//, ''), file: await fileOf(entry as FileSystemFileEntry) });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // Browsers give a folder in pieces, until one is empty.
  for (let some = await someOf(reader); some.length > 0; some = await someOf(reader)) for (const own of some) await collect(own, found);
}

/** What was dropped, folders to their bottom. To be called in the event itself: its data are gone afterwards. */
export async function dropped(transfer: DataTransfer | null): Promise<Given[]> {
  const items = [...(transfer?.items ?? [])].filter(({ kind }) => kind === 'file');
  const taken = items.map((item) => ({ entry: item.webkitGetAsEntry?.() ?? null, file: item.getAsFile() }));
  const found: Given[] = [];
  for (const { entry, file } of taken) {
    if (entry) await collect(entry, found);
    else if (file) found.push({ path: file.name, file });
  }
  return found;
}

/** Asks for files, or for a folder with all that is in it. */
export function choose(what: { accept: string } | 'folder', take: (given: Given[]) => void): void {
  const input = Object.assign(document.createElement('input'), { type: 'file', multiple: true });
  if (what === 'folder') input.webkitdirectory = true;
  else input.accept = what.accept;
  input.onchange = () => take([...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
  input.click();
}
