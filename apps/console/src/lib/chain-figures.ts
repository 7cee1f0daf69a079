import type { Schemas } from '../api/types.ts';
import { durationText } from './format.ts';
import { shownNumber } from './unit.ts';

type Figures = Pick<
  Schemas['FollowedLedger'],
  'height' | 'finalHeight' | 'blockTimeMs' | 'slotTimeMs' | 'gasPrice' | 'nodeLatencyMs'
>;

const gwei = { name: 'gwei', decimals: 9 };

/** Figures of a ledger's chain and nodes: `gas 1.5 gwei`, `node 12 ms`. */
export function chainFigures(ledger: Figures): string[] {
  const { height, finalHeight, blockTimeMs, slotTimeMs, gasPrice, nodeLatencyMs } = ledger;
  return [
    ...(height !== null && finalHeight !== null && finalHeight < height
      ? [`final up to ${finalHeight.toLocaleString()}`]
      : []),
    ...(blockTimeMs === null || slotTimeMs !== null ? [] : [`a block every ${durationText(blockTimeMs)}`]),
    ...(slotTimeMs === null ? [] : [`a slot every ${durationText(slotTimeMs)}`]),
    ...(gasPrice === null ? [] : [`gas ${roundedText(shownNumber(gasPrice, gwei))} gwei`]),
    ...(nodeLatencyMs === null ? [] : [`node responds in ${durationText(nodeLatencyMs)}`]),
  ];
}

/** Rounds to at most four significant digits. */
function roundedText(decimal: string): string {
  return Number(decimal).toLocaleString('en-US', { maximumSignificantDigits: 4, useGrouping: false });
}
