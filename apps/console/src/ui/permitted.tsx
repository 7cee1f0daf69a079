import type { ReactNode } from 'react';
import { useHolds } from '../api/access.ts';

/** Shows a button only to users who hold the permission that its request needs. */
export function Permitted({
  permission,
  resourceId,
  children,
}: {
  permission: string;
  /** Resource on which the permission is needed. Default: the chosen project. */
  resourceId?: string;
  children: ReactNode;
}) {
  const holds = useHolds(permission, resourceId);
  return holds ? children : null;
}
