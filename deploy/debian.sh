# A bare Debian or Ubuntu for a trial, in namespaces of its own, so that mounts and processes end with
# the trial. Its network is that of this machine. Sourced by deploy/trials/*; needs root, debootstrap
# and Linux.
#   TREES=DIRECTORY     kept, it saves debootstrap the next time

# need COMMAND…: end as skipped unless the trial can run here.
need() {
  local name
  for name in debootstrap unshare nsenter "$@"; do
    command -v "$name" > /dev/null || { echo "needs $name"; exit 77; }
  done
  [ "$EUID" -eq 0 ] || { echo "needs root"; exit 77; }
}

# ports_are_free PORT…: end unless nothing listens there.
ports_are_free() {
  local port listening
  for port; do
    listening=$(ss -Hltnp "sport = :$port")
    [ -z "$listening" ] || fail "port $port is in use:"$'\n'"$listening"
  done
}

fail() { echo "FAILED: $*" >&2; exit 1; }
step() { echo "== $*"; }

work=$(mktemp -d)
trees=${TREES:-$work}
tree='' booted=''
cleanup() { halt; rm -rf "$work"; }
trap cleanup EXIT

# Package indexes as this machine reaches them.
settings=(PIP_CERT=/root/machine-ca.crt)
[ -z "${PIP_INDEX_URL:-}" ] || settings+=("PIP_INDEX_URL=$PIP_INDEX_URL")

# bare SUITE: make $tree, with the tools that `make` and systemd need, and this checkout in /root. What
# debootstrap does not know is a release of Ubuntu, whose key Debian does not have: it is fetched by TLS.
bare() {
  local suite=$1 root how=()
  [ -e "/usr/share/debootstrap/scripts/$suite" ] || how=(https://archive.ubuntu.com/ubuntu gutsy)
  root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
  if [ ! -e "$trees/$suite.tar" ]; then
    step "debootstrap $suite"
    mkdir -p "$trees"
    rm -rf "$trees/$suite.new"
    debootstrap --variant=minbase --include=systemd-sysv,ca-certificates,git,make,procps \
      ${how[1]:+--components=main,universe} "$suite" \
      "$trees/$suite.new" "${how[@]}" > "$trees/$suite.txt" ||
      { tail -n 5 "$trees/$suite.txt"; fail "debootstrap $suite"; }
    tar -C "$trees/$suite.new" -cf "$trees/$suite.tar" .
    rm -rf "$trees/$suite.new"
  fi
  tree=$work/$suite
  rm -rf "$tree"
  mkdir "$tree"
  tar -C "$tree" -xf "$trees/$suite.tar"
  cp -L /etc/resolv.conf "$tree/etc/resolv.conf"
  cp -L /etc/ssl/certs/ca-certificates.crt "$tree/root/machine-ca.crt"
  # apt reads it as a user who cannot look into /root. An archive of Ubuntu is fetched by TLS.
  cp -L /etc/ssl/certs/ca-certificates.crt "$tree/etc/ssl/machine-ca.crt"
  echo 'Acquire::https::CaInfo "/etc/ssl/machine-ca.crt";' > "$tree/etc/apt/apt.conf.d/90machine"
  mkdir "$tree/root/checkout"
  git -C "$root" ls-files -co --exclude-standard -z | tar -C "$root" --null -T - -c | tar -C "$tree/root/checkout" -x
}

# Run a command in $tree without systemd.
in_chroot() {
  unshare --mount --pid --ipc --fork --kill-child --mount-proc="$tree/proc" \
    env -i HOME=/root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin "${settings[@]}" \
    sh -c 'mount --bind /dev "$0/dev"; mount -t tmpfs tmpfs "$0/dev/shm"; cd "$0"; exec chroot . "$@"' "$tree" "$@"
}

# Install packages in $tree without systemd.
install_in_chroot() {
  in_chroot sh -c 'export DEBIAN_FRONTEND=noninteractive; apt-get update -qq &&
    apt-get install -y -qq --no-install-recommends "$@" > /root/apt.txt 2>&1' install "$@" ||
    { tail -n 5 "$tree/root/apt.txt"; fail "apt-get install $*"; }
}

# In the new namespaces: the tree becomes the root, and systemd the first process.
become_systemd() {
  cd "$1"
  mount --make-rprivate /
  mount --bind . .
  cd "$1"
  mkdir -p mnt/outside
  mount -t proc proc proc
  mount -t tmpfs -o mode=755 tmpfs run
  mount -t tmpfs -o mode=1777 tmpfs tmp
  mount -t tmpfs -o mode=755 tmpfs dev
  for name in null zero full random urandom tty; do
    touch "dev/$name"
    mount --bind "/dev/$name" "dev/$name"
  done
  mkdir dev/pts dev/shm
  mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
  ln -s pts/ptmx dev/ptmx
  mount -t tmpfs tmpfs dev/shm
  mount -t sysfs -o ro sysfs sys
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  mkdir sys/fs/cgroup/unified sys/fs/cgroup/systemd
  mount -t cgroup2 none sys/fs/cgroup/unified
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
  pivot_root . mnt/outside
  umount -l /mnt/outside
  mount --make-rshared /  # as systemd-nspawn does: credentials of units are mounts that propagate
  exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \
    /lib/systemd/systemd --log-target=null --unit=multi-user.target
}

# Run a command in the booted $tree.
inside() {
  nsenter -t "$booted" -m -u -i -p -C -- env -i HOME=/root PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin \
    "${settings[@]}" "$@"
}

# Start systemd in $tree, and wait until it has started its units.
boot() {
  unshare --mount --pid --ipc --uts --cgroup --fork --kill-child \
    bash -euo pipefail -c "$(declare -f become_systemd); become_systemd \"\$0\"" "$tree" 2> "$work/boot.txt" &
  local parent=$! attempt
  for attempt in {1..600}; do
    sleep 1
    booted=$(pgrep -P "$parent" || true)
    [ -z "$booted" ] || ! inside systemctl is-system-running > /dev/null 2>&1 || return 0
    [ -z "$booted" ] || [ "$(inside systemctl is-system-running 2> /dev/null)" != degraded ] || return 0
    kill -0 "$parent" 2> /dev/null || break
  done
  cat "$work/boot.txt"
  fail "systemd did not start"
}

# End the booted system at once, as a power cut would.
halt() {
  [ -n "$booted" ] || return 0
  kill -KILL "$booted" 2> /dev/null || true # the first process of the namespace: all others end too
  wait 2> /dev/null || true
  booted=''
}

# Create a tenant and a key, look the receiver up, send, and wait for the delivery.
deliver() {
  local customer key
  customer=$(inside einvoice tenants add "Customer NV")
  key=$(inside einvoice keys add "$customer" --name trial --environment test)
  inside "$(inside readlink /opt/einvoice/bin)/python" - "$key" <<'PYTHON' || fail "no delivery $1"
import sys, time
import requests

session = requests.Session()
session.headers.update({"x-api-key": sys.argv[1], "X-Forwarded-Proto": "https",
                        "X-Forwarded-Host": "sandbox.example.com", "X-Forwarded-For": "192.0.2.1"})
service, receiver = "http://127.0.0.1:8000/api", "0088:9520000000004"
for _ in range(600):
    try:
        session.get("http://127.0.0.1:8000/readyz", timeout=5).raise_for_status()
        break
    except requests.RequestException:
        time.sleep(1)
found = session.get(f"{service}/participants/lookup", params={"participantId": receiver}, timeout=30)
found.raise_for_status()
sent = session.post(f"{service}/invoices/send", timeout=30, json={
    "invoice": {
        "number": "2026-001", "issueDate": "2026-11-21", "dueDate": "2026-12-21", "currency": "EUR",
        "buyerReference": "PO-1",
        "supplier": {"name": "Example NV", "taxId": "BE0123456749", "companyId": "0123456749",
                     "address": {"countryCode": "BE"}},
        "buyer": {"name": "Sandbox Buyer", "address": {"countryCode": "BE"}},
        "lineItems": [{"description": "Consulting", "quantity": 2, "unitPrice": 50, "taxRate": 21}],
        "totals": {"subtotal": 100, "taxAmount": 21, "grandTotal": 121},
    },
    "routing": {"senderParticipantId": "0208:0123456749", "receiverParticipantId": receiver,
                "accessPointRef": found.json()["accessPointRef"]},
})
assert sent.ok, sent.text
for _ in range(600):
    invoice = session.get(f"{service}/invoices/{sent.json()['invoiceId']}", timeout=30).json()
    if invoice["networkStatus"] == "Delivered":
        sys.exit()
    time.sleep(0.5)
sys.exit(f"not delivered: {invoice}")
PYTHON
  echo "delivered $1"
}
