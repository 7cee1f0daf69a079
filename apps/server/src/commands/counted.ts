/** Returns a number with its noun: `1 action`, `2 actions`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
