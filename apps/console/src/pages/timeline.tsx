import {
  type Activity,
  actionOf,
  activityText,
  capitalized,
  resourceText,
  resourceTypes,
} from '@ledger-ops/client/text';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { usePeople, usePersonName } from '../api/people.ts';
import { actionsQuery, queries } from '../api/queries.ts';
import { spans, timelineQuery } from '../api/timeline.ts';
import type { Action } from '../api/types.ts';
import { readTimelineFilter } from '../app/timeline-filter.ts';
import type { Column } from '../ui/data-table.tsx';
import { ExportButton } from '../ui/export-button.tsx';
import { Select } from '../ui/field.tsx';
import { Empty, PageHead } from '../ui/layout.tsx';
import { Owner } from '../ui/names.tsx';
import { Records } from '../ui/records.tsx';
import { Time } from '../ui/text.tsx';

const route = getRouteApi('/frame/timeline');

export function Timeline() {
  const filter = route.useSearch();
  const navigate = route.useNavigate();
  const list = useQuery({ ...timelineQuery(filter), placeholderData: (before) => before });
  const people = usePeople();
  const personName = usePersonName();
  const nameOf = (serviceId: string) => (serviceId === '' ? 'The service' : personName(serviceId));
  const set = (change: { type: string } | { days: string }) =>
    void navigate({ search: readTimelineFilter({ ...filter, ...change }), replace: true });
  const actions = useNewestActions();
  const columns: Column<Activity>[] = [
    {
      id: 'what',
      header: 'What happened',
      cell: (one) => {
        const id = actionOf(one);
        const text = activityText(one, id === undefined ? undefined : actions.get(id), people);
        return (
          <div className="max-w-2xl min-w-0">
            <p className="wrap-anywhere">
              <span className="font-medium">{nameOf(one.serviceId)}</span>{' '}
              {id === undefined ? (
                text
              ) : (
                <Link
                  to="/actions/$actionId"
                  params={{ actionId: id }}
                  className="underline-offset-4 hover:underline"
                >
                  {text}
                </Link>
              )}
            </p>
            <p className="text-xs text-ink-3 sm:hidden">
              <Time at={one.performedAt} />
            </p>
          </div>
        );
      },
    },
    {
      id: 'record',
      header: 'Record',
      from: 'lg',
      cell: (one) => capitalized(resourceText(one.resourceType)),
    },
    { id: 'projectId', header: 'Project', from: 'md', cell: (one) => <Owner projectId={one.projectId} /> },
    {
      id: 'performedAt',
      header: 'When',
      align: 'right',
      from: 'sm',
      cell: (one) => <Time at={one.performedAt} />,
    },
  ];
  const { activities, hasMore = false } = list.data ?? {};
  return (
    <>
      <PageHead
        title="Timeline"
        about="Who changed which record and when. Includes when operations were accepted, signed and completed."
      >
        <ExportButton
          name="timeline"
          columns={[
            ['when', (one: Activity) => one.performedAt],
            ['who', (one) => nameOf(one.serviceId)],
            ['what', (one) => activityText(one, actions.get(actionOf(one) ?? ''), people)],
            ['action', (one) => one.action],
            ['record type', (one) => one.resourceType],
            ['record', (one) => one.resourceId],
            ['target', (one) => one.target],
            ['project', (one) => one.projectId],
          ]}
          rows={async () => (await queries.fetchQuery(timelineQuery(filter))).activities}
        />
      </PageHead>
      <search className="mb-4 grid max-w-md grid-cols-2 gap-2">
        <Select
          label="Type of record"
          hideLabel
          value={filter.type ?? ''}
          set={(text) => set({ type: text })}
          options={resourceTypes.map((type) => [type, capitalized(resourceText(type))])}
        >
          <option value="">Every type</option>
        </Select>
        <Select
          label="Period"
          hideLabel
          value={filter.days ?? 1}
          set={(text) => set({ days: text })}
          options={spans.map((days) => [`${days}`, days === 1 ? 'The last day' : `The last ${days} days`])}
        />
      </search>
      <Records
        label="Timeline"
        list={{ data: activities, error: list.error }}
        columns={columns}
        rowId={({ activityId }) => activityId}
        empty={<Empty title="No changes">Choose a longer period or every type to see more.</Empty>}
      >
        {hasMore ? (
          <p className="border-t border-line px-5 py-3 text-sm text-ink-2">
            {activities?.length === 0
              ? 'Only the newest changes were searched.'
              : `Only the newest ${activities?.length} changes are shown.`}{' '}
            Choose a type or a shorter period to see others.
          </p>
        ) : null}
      </Records>
    </>
  );
}

/** Newest actions by id, as many as one request returns. Older ones have no summary in the timeline. */
function useNewestActions(): ReadonlyMap<string, Action> {
  const actions = useQuery(actionsQuery({}, 100)).data?.actions ?? [];
  return new Map(actions.map((one) => [one.actionId, one]));
}
