/**
 * Plugins that planned unfinished actions of a ledger and do not run on this server. A plugin that was not
 * tried yet, for example right after the start, is not included.
 */
export class UnservedPlugins {
  readonly #keys = new Set<string>();

  note(ledgerUid: string, plugin: string | null, isServed: boolean): void {
    const key = JSON.stringify([ledgerUid, plugin]);
    if (isServed) this.#keys.delete(key);
    else this.#keys.add(key);
  }

  has(ledgerUid: string, plugin: string | null): boolean {
    return this.#keys.has(JSON.stringify([ledgerUid, plugin]));
  }
}
