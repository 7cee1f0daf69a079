import type { AdapterError, AdapterProblem, Phase } from '@ledger-ops/adapter';
import { adapterError } from '@ledger-ops/adapter';
import { problemSaidBy, saidBy } from '@ledger-ops/adapter/words';
import type { z } from 'zod';
import { isSliceOver, nextSlice } from './messages/time-slice.ts';

const shownIssues = 3;

/**
 * Parses a plugin's answer to one call with schemas, and names the plugin, the call and the position in
 * errors.
 */
export class Answer {
  readonly #plugin: string;
  readonly #what: string;
  readonly #phase: Phase;

  /** @param what the call, for error messages: `check()` */
  constructor(plugin: string, what: string, phase: Phase) {
    this.#plugin = plugin;
    this.#what = what;
    this.#phase = phase;
  }

  /** Returns the error for an answer that violates the adapter interface. */
  fault(answered: string, cause?: unknown): AdapterError {
    const detail = `The plugin ${this.#plugin} answered ${this.#what} with ${answered}. Fix the plugin.`;
    return adapterError('adapter-fault', detail, {
      phase: this.#phase,
      ...(cause === undefined ? {} : { cause }),
    });
  }

  /** Parses an answer in its own time slice. @throws AdapterError `adapter-fault` */
  async parse<Result>(schema: z.ZodType<Result>, value: unknown): Promise<Result> {
    await nextSlice();
    return this.#parseNow(schema, value);
  }

  /**
   * Parses the items of a list individually, and lets other work run in between.
   * @throws AdapterError `adapter-fault`
   */
  async parseEach<Item>(
    schema: z.ZodType<Item>,
    values: readonly unknown[],
    at = '',
    then: (item: Item) => Item = (item) => item,
  ): Promise<Item[]> {
    const items: Item[] = [];
    for (const [index, value] of values.entries()) {
      if (isSliceOver()) await nextSlice();
      items.push(then(this.#parseNow(schema, value, `${at}/${index}`)));
    }
    return items;
  }

  /**
   * Parses answers about transactions. Each transaction must be one of the requested ones.
   * @throws AdapterError `adapter-fault`
   */
  async parseAbout<Item extends { txId: string }>(
    requested: ReadonlySet<string>,
    schema: z.ZodType<Item>,
    values: readonly unknown[],
    at?: string,
  ): Promise<Item[]> {
    return await this.parseEach(schema, values, at, (item) => {
      if (!requested.has(item.txId)) throw this.fault('a transaction that was not in the request');
      return this.quote(item);
    });
  }

  /**
   * Attributes the item's user-facing strings to the plugin. Changes the item in place, because the parser
   * created it.
   */
  quote<Item>(item: Item): Item {
    if (typeof item !== 'object' || item === null) return item;
    if ('problem' in item && item.problem !== undefined) {
      // In every schema, a member with this name is a problem.
      item.problem = problemSaidBy(this.#plugin, item.problem as AdapterProblem);
    }
    if ('detail' in item && typeof item.detail === 'string') item.detail = this.quoteText(item.detail);
    return item;
  }

  quoteText(text: string): string {
    return saidBy(this.#plugin, text);
  }

  #parseNow<Result>(schema: z.ZodType<Result>, value: unknown, at = ''): Result {
    let parsed: z.ZodSafeParseResult<Result>;
    try {
      parsed = schema.safeParse(value);
    } catch (cause) {
      // The data has a cycle, or is nested deeper than the stack allows.
      throw this.fault('data that cannot be read', cause);
    }
    if (parsed.success) return parsed.data;
    const places = parsed.error.issues
      .slice(0, shownIssues)
      .map(({ path, message }) => `${[at, ...path].join('/') || '/'}: ${message}`);
    throw this.fault(`data that the adapter interface does not allow: ${places.join('; ')}`);
  }
}
