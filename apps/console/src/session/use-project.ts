import { useSyncExternalStore } from 'react';
import { chosenProject, watchProject } from './project.ts';

export function useChosenProject(): string | undefined {
  return useSyncExternalStore(watchProject, chosenProject);
}
