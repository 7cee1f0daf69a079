/** Filters of a list that the user saved under a name. */
export interface SavedFilter {
  readonly name: string;
  readonly search: Readonly<Record<string, string>>;
}

const keyOf = (project: string) => `ledger-ops.filters.${project}`;

/** Returns the saved filters of a project, in this browser. Unreadable entries are ignored. */
export function savedFilters(project: string): readonly SavedFilter[] {
  try {
    const read: unknown = JSON.parse(localStorage.getItem(keyOf(project)) ?? '[]');
    return Array.isArray(read) ? read.filter(isSaved) : [];
  } catch {
    return [];
  }
}

/** Saves a filter. It replaces one of the same name. */
export function saveFilter(project: string, saved: SavedFilter): readonly SavedFilter[] {
  return store(project, [...without(project, saved.name), saved]);
}

export function removeFilter(project: string, name: string): readonly SavedFilter[] {
  return store(project, without(project, name));
}

function without(project: string, name: string): readonly SavedFilter[] {
  return savedFilters(project).filter((one) => one.name !== name);
}

function store(project: string, all: readonly SavedFilter[]): readonly SavedFilter[] {
  localStorage.setItem(keyOf(project), JSON.stringify(all));
  return all;
}

function isSaved(value: unknown): value is SavedFilter {
  return (
    typeof value === 'object' &&
    value !== null &&
    'name' in value &&
    typeof value.name === 'string' &&
    'search' in value &&
    typeof value.search === 'object' &&
    value.search !== null &&
    Object.values(value.search).every((one) => typeof one === 'string')
  );
}
