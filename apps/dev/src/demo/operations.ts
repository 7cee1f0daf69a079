import { devIds } from '../credentials.ts';
import type { DevFile } from '../dev-file.ts';
import { callGlo, registeredCallGlo, sendBody, transferGlo } from '../samples.ts';
import type { NextOperation } from './activity.ts';
import { company, type DevWallet, units, type Wallets, walletOf } from './company.ts';

/** One in this number of operations fails. */
const failedEvery = 17;

/** Returns the operations of the example company in turn, on all ledgers that run. */
export function operationsOf(
  file: DevFile,
  wallets: Wallets,
  unserved: readonly string[],
  /** Makes the ids of assets different from those of earlier starts. */
  start: string,
): NextOperation {
  const { points, giftCard } = company.contracts;
  const [treasury, payroll, berlin, lisbon, roastery] = company.wallets.map((name) =>
    walletOf(wallets, name),
  );
  if (!(treasury && payroll && berlin && lisbon && roastery)) throw new TypeError('The demo has no wallets.');
  const pay = (contract: string, to: DevWallet, amount: number) =>
    registeredCallGlo(contract, 'transfer', [to.walletAddress, units(amount)]);
  const on = (ledger: string) => file.wallets.filter(({ ledgerId }) => ledgerId === ledger);
  const [carol] = on(devIds.fabricLedger);
  const [erin, frank] = on(devIds.solanaLedger);
  const fabric = file.ledgers.find(({ ledgerId }) => ledgerId === devIds.fabricLedger);
  const turns: ((sent: number) => Record<string, unknown>)[] = [
    (sent) => ({ ...sendBody(berlin, pay(points, lisbon, 1 + (sent % 9))), tag: 'points' }),
    (sent) => ({ ...sendBody(lisbon, transferGlo(roastery, units(0.01 + (sent % 5) / 100))), tag: 'beans' }),
    (sent) => ({ ...sendBody(lisbon, pay(points, berlin, 1 + (sent % 9))), tag: 'points' }),
    (sent) => ({ ...sendBody(roastery, transferGlo(lisbon, units(0.01 + (sent % 5) / 100))), tag: 'refund' }),
    () => ({ ...sendBody(treasury, pay(giftCard, berlin, 1)), tag: 'gift cards' }),
    () => ({ ...sendBody(payroll, transferGlo(treasury, units(0.002))), tag: 'reserve' }),
  ];
  const [chaincode] = fabric?.chaincodes ?? [];
  if (carol && fabric && chaincode) {
    const address = `${fabric.channel}/${chaincode}`;
    turns.push((sent) => {
      const args = [`bag-${start}-${sent}`, 'green', `${5 + (sent % 20)}`, carol.walletId, '300'];
      const glo = callGlo(fabric.technology, address, 'CreateAsset', args);
      return { ...sendBody(carol, glo), tag: 'harvest' };
    });
  }
  if (erin && frank && !unserved.includes(devIds.solanaLedger))
    turns.push((sent) => {
      const [from, to] = Math.floor(sent / turns.length) % 2 === 0 ? [erin, frank] : [frank, erin];
      return { ...sendBody(from, transferGlo(to, '5000000')), tag: 'tips' };
    });
  return (sent, last) => {
    const isFailing = sent % failedEvery === failedEvery - 1 && last !== undefined;
    // An operation with a dependency is not simulated when it is accepted, so the contract reverts it later.
    if (isFailing)
      return { ...sendBody(roastery, pay(points, berlin, 1_000_000)), tag: 'points', dependencies: [last] };
    return turns[sent % turns.length]?.(sent) ?? {};
  };
}
