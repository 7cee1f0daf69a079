import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useProject } from '../api/access.ts';
import { personQuery } from '../api/queries.ts';
import { accessParts } from '../app/access-search.ts';
import { Loading, PageHead } from '../ui/layout.tsx';
import { Pills } from '../ui/pills.tsx';
import { Accounts } from './access/accounts.tsx';
import { Apps } from './access/apps.tsx';
import { Invitations } from './access/invitations.tsx';
import { May } from './access/may.tsx';
import { Projects } from './access/projects.tsx';
import { Roles } from './access/roles.tsx';

const route = getRouteApi('/frame/access');

/** Who may do what in the chosen project, and by which credentials. */
export function Access() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const project = useProject();
  // Whoever has no project makes one, or restores it; all else is of a project.
  const isNowhere = useQuery(personQuery()).data?.projects.length === 0;
  const { part = 'people', who } = isNowhere ? { part: 'projects' as const } : search;
  return (
    <>
      <PageHead
        title="Access"
        about="People, accounts and applications, and the roles that permit them to act. A request may do what both its identity and its application may."
      />
      {isNowhere ? null : (
        <div className="mb-5">
          <Pills
            label="Part"
            options={accessParts}
            value={part}
            choose={(value) => void navigate({ search: { part: value } })}
          />
        </div>
      )}
      {part === 'projects' ? (
        <Projects />
      ) : project === undefined ? (
        <Loading />
      ) : (
        {
          people: <Roles project={project} />,
          accounts: <Accounts project={project} />,
          apps: <Apps project={project} />,
          invitations: <Invitations project={project} />,
          may: <May key={who} project={project} who={who ?? ''} />,
        }[part]
      )}
    </>
  );
}
