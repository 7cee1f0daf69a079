import { formatEther } from 'ethers';

/** User-facing text of an amount: in wei and in the display unit. */
export function amountOf(wei: bigint): string {
  return `${wei} wei (${formatEther(wei)} ether)`;
}
