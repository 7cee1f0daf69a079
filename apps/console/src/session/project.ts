const key = 'ledger-ops.project';
const listeners = new Set<() => void>();
/**
 * The project of this tab. If another tab chooses a project, the stored value changes, but this tab's project
 * does not.
 */
let chosen = localStorage.getItem(key) ?? undefined;

/** Uid of the project that requests use; undefined until one is chosen. */
export function chosenProject(): string | undefined {
  return chosen;
}

export function chooseProject(uid: string): void {
  chosen = uid;
  localStorage.setItem(key, uid);
  notify();
}

export function forgetProject(): void {
  chosen = undefined;
  localStorage.removeItem(key);
  notify();
}

/** The project that requests may use: it is confirmed, and its event stream is open or has timed out. */
let entered: string | undefined;

export function isEntered(uid: string): boolean {
  return entered === uid;
}

export function enterProject(uid: string): void {
  if (entered === uid) return;
  entered = uid;
  notify();
}

/**
 * Waits until the chosen project is entered, and returns it. Undefined if none is chosen.
 *
 * @throws DOMException if another project is chosen in the meantime, because the request was meant for the
 * previous one
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

function notify(): void {
  for (const listener of listeners) listener();
}

/** Calls the listener when another project is chosen in this tab. Returns a function that unsubscribes. */
export function watchProject(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
