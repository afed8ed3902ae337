#!/usr/bin/env python3
"""Has python-tuf's own client verify the committed demonstration catalogue, from the shipped root to every image.

    pip install -r requirements.txt
    python3 check.py
"""

import pathlib
import tempfile
import urllib.parse

from tuf.api.exceptions import DownloadHTTPError
from tuf.ngclient import FetcherInterface, Updater

import images
import make


class Repository(FetcherInterface):
    """The committed metadata and the generated images, served without a server."""

    def __init__(self) -> None:
        self.targets = {}

    def _fetch(self, url: str):
        kind, path = urllib.parse.urlparse(url).path.lstrip("/").split("/", 1)
        if kind == "targets":
            folder, name = path.rsplit("/", 1)
            return iter([self.targets[f"{folder}/{name.split('.', 1)[1]}"]])
        version, _, name = path.partition(".")
        file = make.METADATA / (path if path == "timestamp.json" else f"{name.removesuffix('.json')}.{version}.json")
        if not file.exists():
            raise DownloadHTTPError(f"no {path}", 404)
        return iter([file.read_bytes()])


def main() -> None:
    repository = Repository()
    for family in images.FAMILIES:
        for version in make.RELEASES:
            path = f"{family.name}/{version}/espurr-{family.name}-{version}.bin"
            repository.targets[path] = images.image(family, version)
    with tempfile.TemporaryDirectory() as folder:
        state, downloads = pathlib.Path(folder, "metadata"), pathlib.Path(folder, "targets")
        state.mkdir()
        downloads.mkdir()
        updater = Updater(
            str(state), "https://demonstration.invalid/metadata/", str(downloads),
            "https://demonstration.invalid/targets/", fetcher=repository, bootstrap=make.TRUSTED_ROOT.read_bytes(),
        )
        updater.refresh()
        for path in repository.targets:
            target = updater.get_targetinfo(path)
            if target is None:
                raise SystemExit(f"{path} is not listed")
            updater.download_target(target)
    print(f"{len(repository.targets)} targets verified")


if __name__ == "__main__":
    main()
