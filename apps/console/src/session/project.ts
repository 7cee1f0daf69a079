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
  tell();
}

export function forgetProject(): void {
  chosen = undefined;
  localStorage.removeItem(key);
  tell();
}

/** The project that requests are sent in: known to be there, and its stream of events open, or not waited for any more. */
let entered: string | undefined;

export function isEntered(uid: string): boolean {
  return entered === uid;
}

export function enterProject(uid: string): void {
  if (entered === uid) return;
  entered = uid;
  tell();
}

/**
 * Waits until the chosen project is entered, and answers it; undefined: none is chosen.
 *
 * @throws DOMException when another one is chosen meanwhile: what was asked was not meant for that one
 */
export async function enteredProject(): Promise<string | undefined> {
  const meant = chosen;
  while (meant !== undefined && meant !== entered) {
    await new Promise<void>((resolve) => {
      const stop = watchProject(() => {
        stop();
        resolve();
      });
    });
    if (chosen !== meant) throw new DOMException('Another project was chosen.', 'AbortError');
  }
  return meant;
}

function tell(): void {
  for (const listener of listeners) listener();
}

/** Calls back when another one is chosen in this tab. Answers how to leave that. */
export function watchProject(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
