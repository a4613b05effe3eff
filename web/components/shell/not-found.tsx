import { Link } from "../../lib/browser/router.tsx";

export function NotFound() {
  return (
    <div class="empty">
      <h1>Page not found</h1>
      <p class="soft">The address may be wrong, or the page no longer exists.</p>
      <Link to="/drives" class="button">
        Go to your drives
      </Link>
    </div>
  );
}
