// An Ethereum node for a run of transfers.
import { type Anvil, startAnvil } from '@ledger-ops/devnet';
import { getAddress, Wallet } from 'ethers';
import { expect } from 'vitest';
import { freshAddress } from './chain.ts';
import type { Product } from './product.ts';
import {
  confirmations,
  inGroups,
  type MinedTransfer,
  type RunLedger,
  sentAmount,
  type Theft,
  walletPassword,
} from './transfer-run.ts';

const ledgerId = 'chain';
const chainId = 31_337;

interface Transaction {
  hash: string;
  from: string;
  to: string | null;
  nonce: string;
  value: string;
}

/** A transaction of another program, and the address paid by the transfer that it excludes. */
interface NonceTheft {
  txId: string;
  bytes: string;
  target: string;
}

export class NonceLedger implements RunLedger {
  readonly technology = 'ethereum';
  readonly amount = sentAmount;
  readonly #anvil: Anvil;
  readonly #wallets = new Map<string, Wallet>();
  readonly #thefts: NonceTheft[] = [];
  /** Transactions of the chain by height, as far as the chain was read. Only `reorganise` removes blocks. */
  readonly #blocks: Transaction[][] = [];
  #reading: Promise<unknown> = Promise.resolve();
  /** Addresses paid by the transactions that were ever mined, by sender and nonce. */
  readonly #targets = new Map<string, Set<string>>();

  private constructor(anvil: Anvil) {
    this.#anvil = anvil;
  }

  static async start(): Promise<NonceLedger> {
    return new NonceLedger(await startAnvil({ mining: 'manual' }));
  }

  async create(server: Product, wallets: number): Promise<string[]> {
    const created = async (path: string, input: object) => {
      const { status, body } = await server.call('POST', path, input);
      expect(status, JSON.stringify(body)).toBe(201);
    };
    const properties = {
      ...{ chain_id: chainId, confirmations, development: true },
      ...{ polling_interval: 50, max_in_flight: 10_000 },
    };
    await created('/v1/ledgers', {
      ...{ ledgerID: ledgerId, name: 'Chain', ledgerTechnology: { ledgerTechnologyID: 'ethereum' } },
      properties: Object.entries(properties).map(([name, value]) => ({ type: { name }, value })),
      nodes: [{ nodeID: 'chain-node', options: { uri: this.#anvil.url } }],
    });
    const ids: string[] = [];
    for (let index = 0; index < wallets; index += 1) {
      const wallet = new Wallet(Wallet.createRandom().privateKey);
      const walletId = `wallet-${index}`;
      await this.#anvil.rpc('anvil_setBalance', [wallet.address, `0x${(10n ** 21n).toString(16)}`]);
      const pluginParameters = { walletPassword, privateKey: wallet.privateKey };
      await created('/v1/cloud-wallet/wallets', { walletId, ledgerId, pluginParameters });
      this.#wallets.set(wallet.address.toLowerCase(), wallet);
      ids.push(walletId);
    }
    await this.mine(confirmations);
    return ids;
  }

  recipient(): string {
    return freshAddress();
  }

  async height(): Promise<number> {
    return Number(await this.#anvil.rpc<string>('eth_blockNumber'));
  }

  async mine(blocks: number): Promise<void> {
    await this.#anvil.rpc('anvil_mine', [`0x${blocks.toString(16)}`]);
  }

  async transfers(): Promise<MinedTransfer[]> {
    const blocks = await this.#read();
    return blocks.flatMap((all, height) =>
      all.filter(isTransfer).map(({ hash }) => ({ txId: hash, height })),
    );
  }

  async reorganise(height: number, returns: boolean, steal: ReadonlySet<string>): Promise<void> {
    const dropped = (await this.#read()).slice(height).flat();
    const victim = dropped.find(({ hash, to }) => steal.has(hash) && to !== null);
    const isBefore = ({ from, nonce }: Transaction) =>
      victim?.from === from && Number(nonce) < Number(victim.nonce);
    const again = dropped.filter((one) => returns || isBefore(one));
    const bytes = await inGroups(again, ({ hash }) =>
      this.#anvil.rpc<string>('eth_getRawTransactionByHash', [hash]),
    );
    await this.#anvil.rpc('anvil_rollback', [(await this.height()) - height + 1]);
    this.#blocks.length = height;
    for (const one of bytes) await this.#submit(one);
    if (victim !== undefined) await this.#steal(victim);
  }

  async thefts(): Promise<Theft[]> {
    const found = await this.#read();
    const heights = new Map(found.flatMap((all, height) => all.map(({ hash }) => [hash, height])));
    for (const { txId, bytes } of this.#thefts) if (!heights.has(txId)) await this.#submit(bytes);
    return this.#thefts.map(({ txId }) => ({ txId, height: heights.get(txId) }));
  }

  async harmedBy(id: string): Promise<Set<string>> {
    return new Set(this.#thefts.filter(({ txId }) => txId === id).map(({ target }) => target));
  }

  async payments(): Promise<Map<string, number>> {
    const paid = new Map<string, number>();
    for (const one of (await this.#read()).flat().filter(isTransfer)) {
      const target = addressOf(one);
      paid.set(target, (paid.get(target) ?? 0) + 1);
    }
    return paid;
  }

  async sharedClaims(except: ReadonlySet<string>): Promise<string[]> {
    await this.#read();
    const others = [...this.#targets].filter(
      ([, targets]) => [...targets].filter((target) => !except.has(target)).length > 1,
    );
    return others.map(([claim]) => claim);
  }

  async stop(): Promise<void> {
    await this.#anvil.stop();
  }

  /** Returns the transactions of all blocks by height. Reads new blocks one after the other. */
  async #read(): Promise<readonly Transaction[][]> {
    const mine = this.#reading.then(() => this.#readOn());
    this.#reading = mine.catch(() => undefined);
    return await mine;
  }

  async #readOn(): Promise<readonly Transaction[][]> {
    for (;;) {
      const height = `0x${this.#blocks.length.toString(16)}`;
      const block = await this.#anvil.rpc<{ transactions: Transaction[] } | null>('eth_getBlockByNumber', [
        height,
        true,
      ]);
      if (block === null) return this.#blocks;
      this.#blocks.push(block.transactions);
      for (const one of block.transactions.filter(isTransfer)) {
        const claim = `${one.from}:${Number(one.nonce)}`;
        this.#targets.set(claim, (this.#targets.get(claim) ?? new Set()).add(addressOf(one)));
      }
    }
  }

  /** Uses the nonce of a transfer whose block was removed, with the key of its wallet. */
  async #steal(victim: Transaction): Promise<void> {
    const wallet = this.#wallets.get(victim.from.toLowerCase());
    if (wallet === undefined) throw new TypeError('Every transfer is of a wallet.');
    const bytes = await wallet.signTransaction({
      ...{ type: 2, chainId, nonce: Number(victim.nonce), to: wallet.address, gasLimit: 21_000n },
      // Replaces the transfer in the mempool.
      ...{ maxFeePerGas: 10n ** 13n, maxPriorityFeePerGas: 10n ** 12n },
    });
    const txId = await this.#anvil.rpc<string>('eth_sendRawTransaction', [bytes]);
    this.#thefts.push({ txId, bytes, target: addressOf(victim) });
  }

  /** Submits signed bytes. Ignores the node's refusal of bytes that it already has, or whose nonce is used. */
  async #submit(bytes: string): Promise<void> {
    await this.#anvil.rpc('eth_sendRawTransaction', [bytes]).catch(() => undefined);
  }
}

function isTransfer({ value }: Transaction): boolean {
  return BigInt(value) === sentAmount;
}

/** Returns the address that a transfer pays, as `freshAddress` writes it. */
function addressOf({ to }: Transaction): string {
  return getAddress(to ?? '');
}
