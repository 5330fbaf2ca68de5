// Where models and examples come from: the server's session, the page's own demo, files that are dropped or chosen.
export interface Session {
  model: string;
  name: string;
  examples: string | null;
  demo: boolean; // nobody asked for a file
  version?: number; // of the file, where the server looks whether it changes
  problem?: { item: string; problem: string; remedy: string } | null; // why the file as it is now cannot be read
}

const coming = new Map<string, Promise<Uint8Array>>(); // files that were asked for before somebody wants them

async function get(path: string): Promise<Uint8Array> {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: ${response.status} ${response.statusText}`);
  return new Uint8Array(await response.arrayBuffer());
}

/** Asks for a file that is wanted soon, or says who has done so. */
export function askFor(path: string, bytes = get(path)): void {
  bytes.catch(() => {}); // whoever wants it hears of it
  coming.set(path, bytes);
}

export function fetched(path: string): Promise<Uint8Array> {
  const bytes = coming.get(path) ?? get(path);
  coming.delete(path); // another time it may be another one
  return bytes;
}

/** What `supple studio` was given; elsewhere the demo that lies beside the page. */
export async function session(): Promise<Session> {
  return JSON.parse(new TextDecoder().decode(await fetched('session.json'))) as Session;
}

export const modelBytes = (from: Session) => fetched(from.model);

export function download(data: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(data);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
