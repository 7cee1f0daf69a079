interface Named {
  readonly ledgerId: string;
  readonly technology: string;
}

/**
 * Returns the ledger that a wallet names. A project's ledger and a deployer's ledger may have the same id,
 * and the wallet does not say which of them it is on. With the wrong one, amounts would have the wrong
 * currency.
 *
 * @returns undefined if there is no such ledger, or if there are several with different technologies
 */
export function ledgerNamed<Ledger extends Named>(
  ledgers: readonly Ledger[],
  ledgerId: string | undefined,
): Ledger | undefined {
  const named = ledgers.filter((one) => one.ledgerId === ledgerId);
  return named.every(({ technology }) => technology === named[0]?.technology) ? named[0] : undefined;
}
