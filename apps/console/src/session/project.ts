import { useSyncExternalStore } from 'react';

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

export function useChosenProject(): string | undefined {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, chosenProject);
}
