"""An authority of these tests' own, and servers' certificates by it, right and wrong ones."""
import os
from datetime import datetime, timedelta, timezone

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


def name(text):
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text)])


class Authority:
    def __init__(self, folder, title):
        self.folder, self.title = folder, title
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.file = os.path.join(folder, f"{title}.pem")
        now = datetime.now(timezone.utc)
        certificate = (
            x509.CertificateBuilder().subject_name(name(title)).issuer_name(name(title))
            .public_key(self.key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=30)).not_valid_after(now + timedelta(days=30))
            .add_extension(x509.BasicConstraints(True, 0), True).sign(self.key, hashes.SHA256()))
        with open(self.file, "wb") as file:
            file.write(certificate.public_bytes(serialization.Encoding.PEM))

    def certificate(self, host, begins=-1, ends=7):
        """A file with key and certificate for a host; begin and end in days from now."""
        key = ec.generate_private_key(ec.SECP256R1())
        now = datetime.now(timezone.utc)
        certificate = (
            x509.CertificateBuilder().subject_name(name(host)).issuer_name(name(self.title))
            .public_key(key.public_key()).serial_number(x509.random_serial_number())
            .not_valid_before(now + timedelta(days=begins)).not_valid_after(now + timedelta(days=ends))
            .add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), False).sign(self.key, hashes.SHA256()))
        path = os.path.join(self.folder, f"{self.title}-{host}-{begins}-{ends}.pem")
        with open(path, "wb") as file:
            file.write(key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
            file.write(certificate.public_bytes(serialization.Encoding.PEM))
        return path
