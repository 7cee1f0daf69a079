import { resourceText } from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { pluginsQuery } from '../../api/installation.ts';
import { contractsQuery } from '../../api/queries.ts';
import { useLedgerName, useProjectName } from '../../ui/names.tsx';

/** The record on which a role is granted: `project Mill`, `contract Vault`. Its id is in the tooltip. */
export function Place({ resourceType, resourceId }: { resourceType: string; resourceId: string }) {
  const name = usePlaceName(resourceType, resourceId);
  return (
    <span title={resourceId} className="wrap-anywhere">
      {resourceText(resourceType)} {name}
    </span>
  );
}

/** A record's name, or its id if it has none or the user may not see it. */
function usePlaceName(type: string, id: string): string {
  const projectName = useProjectName();
  const ledgerName = useLedgerName();
  const contracts = useQuery({ ...contractsQuery(), enabled: type === 'smart-contract-instance' }).data;
  const plugins = useQuery({ ...pluginsQuery(), enabled: type === 'plugin' }).data;
  switch (type) {
    case 'project':
      return projectName(id);
    case 'ledger':
      return ledgerName(id);
    case 'smart-contract-instance':
      return contracts?.find(({ contractId }) => contractId === id)?.name ?? id;
    case 'plugin':
      return plugins?.find((one) => one.id === id)?.name ?? id;
    default:
      return id;
  }
}
