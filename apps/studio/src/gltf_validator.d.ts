// What is used of the package, which has no types of its own.
declare module 'gltf-validator' {
  export function validateBytes(
    data: Uint8Array,
    options: { uri?: string; maxIssues?: number; writeTimestamp?: boolean; externalResourceFunction?: (uri: string) => Promise<Uint8Array> },
  ): Promise<unknown>;
}
