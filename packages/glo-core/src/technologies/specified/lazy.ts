import type { GloTechnology } from '../technology.ts';

/** Returns a technology whose schema is compiled on first use. */
export function lazyTechnology(technology: string, make: () => GloTechnology): GloTechnology {
  let made: GloTechnology | undefined;
  const ready = () => {
    made ??= make();
    return made;
  };
  return {
    technology,
    get overrides() {
      return ready().overrides;
    },
    get versions() {
      return ready().versions;
    },
    readsVersion: (version) => ready().readsVersion(version),
    contentOf: (type) => ready().contentOf(type),
    rules: (content, type, pointer) => ready().rules?.(content, type, pointer) ?? [],
  };
}
