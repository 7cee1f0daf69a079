interface Named {
  readonly ledgerId: string;
  readonly technology: string;
}

/**
 * The ledger that a wallet names. A project may have one of the same id as one of the deployer, and nothing says which of them
 * a wallet is on: its amounts would be read in the other one's currency.
 *
 * @returns undefined: there is none, or there are several of different technologies
 */
export function ledgerNamed<Ledger extends Named>(
  ledgers: readonly Ledger[],
  ledgerId: string | undefined,
): Ledger | undefined {
  const named = ledgers.filter((one) => one.ledgerId === ledgerId);
  return named.every(({ technology }) => technology === named[0]?.technology) ? named[0] : undefined;
}
