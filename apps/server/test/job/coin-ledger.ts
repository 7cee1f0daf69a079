// The ledger of the adapter kit whose accounts hold coins, for a run of transfers.
import { fileURLToPath } from 'node:url';
import { createTestSigner } from '@ledger-ops/adapter-kit/conformance';
import { createUtxoLedger, type UtxoLedger, UtxoNode, utxoAddressOf } from '@ledger-ops/adapter-kit/utxo';
import { expect } from 'vitest';
import type { Product } from './product.ts';
import {
  confirmations,
  type MinedTransfer,
  type RunLedger,
  sentAmount,
  type Theft,
  walletPassword,
} from './transfer-run.ts';

// The plugin is registered by its file, like one of another author, so it runs in its own process.
const module = fileURLToPath(new URL('../../../../examples/bitcoin-plugin/src/plugin.js', import.meta.url));
const ledgerId = 'coins';
const coinAmount = 1_000_000n;

/** A transaction of another program, and the coin that it spends. */
interface CoinTheft {
  txId: string;
  bytes: Uint8Array;
  coin: string;
}

export class CoinLedger implements RunLedger {
  readonly technology = 'bitcoin';
  readonly amount = sentAmount;
  readonly #ledger: UtxoLedger;
  readonly #node: UtxoNode;
  /** Coins that each wallet starts with. */
  readonly #coins: number;
  /** Private keys by address. */
  readonly #keys = new Map<string, Uint8Array>();
  readonly #thefts: CoinTheft[] = [];

  private constructor(ledger: UtxoLedger, node: UtxoNode, coins: number) {
    this.#ledger = ledger;
    this.#node = node;
    this.#coins = coins;
  }

  static async start(coins: number): Promise<CoinLedger> {
    const ledger = createUtxoLedger({ blockSize: 10_000 });
    return new CoinLedger(ledger, await UtxoNode.start(ledger), coins);
  }

  async create(server: Product, wallets: number): Promise<string[]> {
    const created = async <Body>(path: string, input: object) => {
      const { status, body } = await server.call<Body>('POST', path, input);
      expect(status, JSON.stringify(body)).toBe(201);
      return body;
    };
    await created('/v1/plugins', {
      ...{ name: 'Bitcoin', projectId: 'job-project', url: `file:${module}`, tags: ['bitcoin'] },
    });
    const properties = {
      ...{ network: 'regtest', confirmations, polling_interval: 50, max_in_flight: 10_000 },
    };
    await created('/v1/ledgers', {
      ...{ ledgerID: ledgerId, name: 'Coins', ledgerTechnology: { ledgerTechnologyID: 'bitcoin' } },
      properties: Object.entries(properties).map(([name, value]) => ({ type: { name }, value })),
      nodes: [{ nodeID: 'coins-node', options: { uri: this.#node.url } }],
    });
    const ids: string[] = [];
    for (let index = 0; index < wallets; index += 1) {
      const { privateKey } = createTestSigner('secp256k1');
      const walletId = `wallet-${index}`;
      const imported = { walletPassword, privateKey: `0x${Buffer.from(privateKey).toString('hex')}` };
      const { walletAddress } = await created<{ walletAddress: string }>('/v1/cloud-wallet/wallets', {
        ...{ walletId, ledgerId, pluginParameters: imported },
      });
      this.#keys.set(walletAddress, privateKey);
      for (let coin = 0; coin < this.#coins; coin += 1) this.#ledger.fund(walletAddress, coinAmount);
      ids.push(walletId);
    }
    this.#ledger.mine(confirmations);
    return ids;
  }

  recipient(): string {
    return utxoAddressOf(createTestSigner('secp256k1').publicKey, this.#ledger.network);
  }

  async height(): Promise<number> {
    return this.#ledger.head.height;
  }

  async mine(blocks: number): Promise<void> {
    this.#ledger.mine(blocks);
  }

  async transfers(): Promise<MinedTransfer[]> {
    return this.#ledger.blocks.flatMap(({ height, transactions }) =>
      transactions.filter(({ inputs }) => inputs.length > 0).map(({ txId }) => ({ txId, height })),
    );
  }

  async reorganise(height: number, returns: boolean, steal: ReadonlySet<string>): Promise<void> {
    const dropped = this.#ledger.blocks.slice(height).flatMap(({ transactions }) => transactions);
    this.#ledger.reorganise(this.#ledger.head.height - height + 1, returns ? 'return' : 'vanish');
    for (const { inputs } of dropped.filter(({ txId }) => steal.has(txId))) {
      const [coin] = inputs.flatMap((input) => this.#ledger.coin(input.coin) ?? []);
      const owner = [...this.#keys].find(([address]) =>
        this.#ledger.coinsOf(address).some(({ id }) => id === coin?.id),
      );
      if (coin === undefined || owner === undefined) continue;
      const [recipient, privateKey] = owner;
      const { txId, bytes } = this.#ledger.signOutside({ privateKey, coins: [coin.id], recipient });
      this.#thefts.push({ txId, bytes, coin: coin.id });
      this.#ledger.include(bytes);
      return;
    }
  }

  async thefts(): Promise<Theft[]> {
    return this.#thefts.map(({ txId, bytes }) => {
      if (this.#ledger.transaction(txId) === undefined) this.#ledger.include(bytes);
      return { txId, height: this.#ledger.transaction(txId)?.block?.height };
    });
  }

  /** Includes transfers that spend outputs of the transaction, or of transfers that it excludes. */
  async harmedBy(id: string): Promise<Set<string>> {
    const all = this.#ledger.submissions.flatMap(({ transaction }) => transaction ?? []);
    const stolen = new Set(this.#thefts.filter(({ txId }) => txId === id).map(({ coin }) => coin));
    const gone = new Set([id]);
    const isGone = ({ coin }: { coin: string }) =>
      stolen.has(coin) || gone.has(coin.slice(0, coin.indexOf(':')));
    for (let before = -1; before < gone.size; ) {
      before = gone.size;
      for (const { txId, inputs } of all) if (inputs.some(isGone)) gone.add(txId);
    }
    return new Set(all.filter(({ txId }) => gone.has(txId)).map(({ outputs }) => outputs[0]?.address ?? ''));
  }

  async payments(): Promise<Map<string, number>> {
    const paid = new Map<string, number>();
    for (const { outputs } of this.#ledger.transactions) {
      for (const { address } of outputs)
        if (address !== undefined) paid.set(address, (paid.get(address) ?? 0) + 1);
    }
    return paid;
  }

  async sharedClaims(except: ReadonlySet<string>): Promise<string[]> {
    const targets = new Map<string, Set<string>>();
    for (const { transaction } of this.#ledger.submissions) {
      const target = transaction?.outputs[0]?.address ?? '';
      if (except.has(target) || this.#keys.has(target)) continue;
      for (const { coin } of transaction?.inputs ?? [])
        targets.set(coin, (targets.get(coin) ?? new Set()).add(target));
    }
    return [...targets].filter(([, all]) => all.size > 1).map(([coin]) => coin);
  }

  async stop(): Promise<void> {
    await this.#node.close();
  }
}
