import type { Caller } from '../caller.ts';
import { devIds } from '../credentials.ts';
import type { DevFile } from '../dev-file.ts';
import { follow, send } from '../follow.ts';
import { deployGlo, registeredCallGlo, sendBody, transferGlo } from '../samples.ts';
import { company, type DevWallet, units, type WalletName, type Wallets, walletOf } from './company.ts';

/**
 * Sends the history of the example company: funded wallets, two registered tokens with a subscription to the events of
 * one, and succeeded, failed, pending and canceled actions.
 */
export async function sendHistory(caller: Caller, file: DevFile, wallets: Wallets): Promise<void> {
  const history = new History(caller, wallets);
  await history.fund(file);
  await history.deploy(file);
  await caller.call('POST', '/v1/contract-subscriptions', { contractId: company.contracts.points });
  await history.trade();
  await history.stop();
}

class History {
  readonly #caller: Caller;
  readonly #wallets: Wallets;

  constructor(caller: Caller, wallets: Wallets) {
    this.#caller = caller;
    this.#wallets = wallets;
  }

  /** Sends ether to the wallets from the first development wallet, which the chain funds. */
  async fund({ wallets }: DevFile): Promise<void> {
    const source = wallets.find(({ ledgerId }) => ledgerId === devIds.ledger);
    if (source === undefined) throw new TypeError('The demo needs a wallet on Ethereum.');
    const treasury = this.#wallet('treasury');
    const capital = await this.#send(source, transferGlo(treasury, units(500)), { tag: 'capital' });
    const others = company.wallets.filter((name) => name !== 'treasury');
    const funded = await Promise.all(
      others.map((name) =>
        this.#send(treasury, transferGlo(this.#wallet(name), units(20)), {
          ...{ tag: 'opening balance', dependencies: [capital] },
        }),
      ),
    );
    for (const actionId of funded) await this.#finish(actionId);
  }

  async deploy({ templates: [template] }: DevFile): Promise<void> {
    if (template === undefined) throw new TypeError('The demo needs a template.');
    const treasury = this.#wallet('treasury');
    const { points, giftCard } = company.contracts;
    const deployed = await Promise.all([
      this.#send(treasury, deployGlo(template, ['Harbor Points', 'POINT', units(1_000_000)]), {
        ...{ tag: 'launch', registration: { contractId: points, name: 'Harbor Points' } },
      }),
      this.#send(treasury, deployGlo(template, ['Harbor Gift Card', 'GIFT', units(50_000)]), {
        ...{ tag: 'launch', registration: { contractId: giftCard, name: 'Gift Card' } },
      }),
    ]);
    for (const actionId of deployed) await this.#finish(actionId);
  }

  /** Transfers of tokens, including one that the contract reverts. */
  async trade(): Promise<void> {
    const treasury = this.#wallet('treasury');
    const first = await this.#send(treasury, this.#pay('points', 'shop-berlin', 5_000), { tag: 'points' });
    await this.#send(treasury, this.#pay('points', 'shop-lisbon', 5_000), { tag: 'points' });
    await this.#send(treasury, this.#pay('giftCard', 'shop-lisbon', 800), { tag: 'gift cards' });
    // An operation with a dependency is not simulated when it is accepted, so it can fail later.
    const refused = await this.#send(this.#wallet('shop-berlin'), this.#pay('points', 'roastery', 9_000), {
      ...{ tag: 'points', dependencies: [first] },
    });
    await this.#finish(refused);
  }

  /**
   * Suspends a wallet. Sends an action of this wallet, which stays pending, another action that waits for it, and
   * one that is canceled.
   */
  async stop(): Promise<void> {
    const vault = this.#wallet('cold-storage');
    await this.#caller.call('POST', '/v1/ledger-ops/suspensions', {
      ...{ walletId: vault.walletId, reason: 'Quarterly audit' },
    });
    const back = transferGlo(this.#wallet('treasury'), units(5));
    const withdrawal = await this.#send(vault, back, { tag: 'withdrawal' });
    await this.#send(this.#wallet('treasury'), transferGlo(this.#wallet('payroll'), units(5)), {
      ...{ tag: 'salaries', dependencies: [withdrawal] },
    });
    const mistake = await this.#send(vault, transferGlo(this.#wallet('roastery'), units(15)), {
      tag: 'withdrawal',
    });
    await this.#caller.call('POST', `/v1/ledger-ops/actions/${mistake}/cancel`, {});
  }

  #wallet(name: WalletName): DevWallet {
    return walletOf(this.#wallets, name);
  }

  #pay(contract: keyof typeof company.contracts, to: WalletName, amount: number) {
    const args = [this.#wallet(to).walletAddress, units(amount)];
    return registeredCallGlo(company.contracts[contract], 'transfer', args);
  }

  async #send(from: DevWallet, glo: object, options: Record<string, unknown>): Promise<string> {
    return await send(this.#caller, { ...sendBody(from, glo), ...options });
  }

  /** Waits until the action is final. */
  async #finish(actionId: string): Promise<void> {
    await follow(this.#caller, actionId, () => undefined);
  }
}
