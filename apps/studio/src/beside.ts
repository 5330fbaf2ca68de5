// Files that were given together with a model, which may be parts of it.

export interface Beside {
  folder: string; // of the model, '' or ending with a slash
  files: ReadonlyMap<string, Blob>; // by their paths
}

const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1);

/** 'a/b/../c.png' as 'a/c.png'. */
function plain(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  return parts.join('/');
}

/** As people write it. */
export function decoded(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri; // a stray percent sign
  }
}

/** The file that an address in the model means: at its place, or, where files were chosen without their folders, the only one
 * of that name, in capitals or not. */
export function partAt({ folder, files }: Beside, uri: string): Blob | undefined {
  if (/^[a-z][a-z0-9+.-]*:/i.test(uri)) return undefined; // elsewhere
  const path = decoded(uri).replaceAll('\\', '/');
  const there = files.get(plain(folder + path));
  if (there) return there;
  const name = nameOf(path).toLowerCase();
  const alike = [...files].filter(([own]) => nameOf(own).toLowerCase() === name);
  return alike.length === 1 ? alike[0][1] : undefined;
}
