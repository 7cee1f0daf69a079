import { setTimeout as delay } from 'node:timers/promises';
import type { Anvil } from '@ledger-ops/devnet';
import { expect } from 'vitest';
import { balanceOf, freshAddress, nonceOf, poolSize } from './chain.ts';
import { type Product, type TestWallet, transferTo } from './product.ts';

/** Time in milliseconds within which operations are accepted again after an outage. */
const limit = 60_000;

/**
 * Test clients that repeat each transfer with the same idempotency key until it is accepted, and then read the action
 * immediately. Counts the 503 responses, and records the accepted actions and stale reads.
 */
export class KeyedLoad {
  readonly #product: Product;
  readonly #wallet: TestWallet;
  readonly #clients: Promise<unknown>;
  readonly sends: { readonly target: string; readonly actionId: string }[] = [];
  /** Number of responses with 503. */
  refused = 0;
  /** Reads that did not return an action that had been accepted. */
  readonly stale: string[] = [];
  #isOver = false;

  constructor(product: Product, wallet: TestWallet, clients: number) {
    this.#product = product;
    this.#wallet = wallet;
    this.#clients = Promise.all(Array.from({ length: clients }, (_, index) => this.#client(index)));
  }

  /** Waits until further operations are accepted. */
  async accepted(count: number): Promise<void> {
    const from = this.sends.length;
    await expect.poll(() => this.sends.length - from, { timeout: limit }).toBeGreaterThanOrEqual(count);
  }

  /** Waits until further requests are refused. */
  async refusals(count: number): Promise<void> {
    const from = this.refused;
    await expect.poll(() => this.refused - from, { timeout: limit }).toBeGreaterThanOrEqual(count);
  }

  /** Stops the clients, after each one's last transfer was accepted. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#clients;
  }

  /** Checks that everything that was accepted was executed once, and that no read was stale. */
  async demandOnce(anvil: Anvil): Promise<void> {
    const ends = await this.#product.ended(this.sends.map(({ actionId }) => actionId));
    expect(ends.filter(({ status }) => status !== 'SUCCEEDED')).toEqual([]);
    for (const { target } of this.sends) expect(await balanceOf(anvil, target)).toBe(7n);
    expect(await nonceOf(anvil, this.#wallet.address)).toBe(this.sends.length);
    expect(await poolSize(anvil)).toBe(0);
    expect(this.stale).toEqual([]);
  }

  async #client(index: number): Promise<void> {
    for (let n = 0; !this.#isOver; n += 1) {
      const target = freshAddress();
      const actionId = await this.#send(`key-${index}-${n}`, target);
      this.sends.push({ target, actionId });
      await this.#read(actionId);
    }
  }

  async #send(key: string, target: string): Promise<string> {
    for (;;) {
      const headers = { 'Idempotency-Key': key };
      const body = transferTo(this.#wallet, target, 7);
      const answer = await this.#product.call('POST', '/v1/ledger-ops/send', body, headers);
      if (answer.status === 201) return String(answer.body.actionId);
      await this.#refusal(answer);
    }
  }

  async #read(actionId: string): Promise<void> {
    for (;;) {
      const answer = await this.#product.call('GET', `/v1/ledger-ops/actions/${actionId}`);
      if (answer.status === 200) return;
      if (answer.status === 404) {
        this.stale.push(actionId);
        return;
      }
      await this.#refusal(answer);
    }
  }

  /** Counts a refusal. 503: the database is unavailable. 409: the previous request with this key is still running. */
  async #refusal(answer: { status: number; headers: Headers }): Promise<void> {
    expect(answer).toMatchObject({ status: expect.toSatisfy((status) => [409, 503].includes(status)) });
    if (answer.status === 503) {
      expect(answer.headers.get('retry-after')).toMatch(/^\d+$/);
      this.refused += 1;
    }
    await delay(50);
  }
}
