/** Form fields as `name=value`. */
export function formFields(example: unknown): string[] {
  if (typeof example !== 'object' || example === null) return [];
  return Object.entries(example).map(([name, value]) => `${name}=${value}`);
}
