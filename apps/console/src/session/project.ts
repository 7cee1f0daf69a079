const key = 'tally.project';
const listeners = new Set<() => void>();
/** The tab's own: another tab that chooses a project changes what is stored, and not where this one sends its requests. */
let chosen = localStorage.getItem(key) ?? undefined;

/** Uid of the project that requests work in; undefined: none is chosen yet. */
export function chosenProject(): string | undefined {
  return chosen;
}

export function chooseProject(uid: string): void {
  chosen = uid;
  localStorage.setItem(key, uid);
  for (const listener of listeners) listener();
}

export function forgetProject(): void {
  chosen = undefined;
  localStorage.removeItem(key);
  for (const listener of listeners) listener();
}

/** Calls back when another one is chosen in this tab. Answers how to leave that. */
export function watchProject(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
