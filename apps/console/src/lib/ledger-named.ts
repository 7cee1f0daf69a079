interface Named {
  readonly ledgerId: string;
  readonly technology: string;
}

/**
 * The ledger that a wallet names. A project's ledger and a deployer's ledger may share an id, and the wallet does not
 * say which one it is on. A wrong choice would show its amounts in the other ledger's currency.
 * @returns undefined if there is none, or if there are several with different technologies
 */
export function ledgerNamed<Ledger extends Named>(
  ledgers: readonly Ledger[],
  ledgerId: string | undefined,
): Ledger | undefined {
  const named = ledgers.filter((one) => one.ledgerId === ledgerId);
  return named.every(({ technology }) => technology === named[0]?.technology) ? named[0] : undefined;
}
