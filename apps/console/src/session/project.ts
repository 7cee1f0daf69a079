const key = 'tally.project';
const listeners = new Set<() => void>();

/** Uid of the project that requests work in; undefined: none is chosen yet. */
export function chosenProject(): string | undefined {
  return localStorage.getItem(key) ?? undefined;
}

export function chooseProject(uid: string): void {
  localStorage.setItem(key, uid);
  for (const listener of listeners) listener();
}

export function forgetProject(): void {
  localStorage.removeItem(key);
  for (const listener of listeners) listener();
}

/** Calls back when another one is chosen in this tab. Answers how to leave that. */
export function watchProject(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
