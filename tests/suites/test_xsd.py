"""The types of the NIST suite, imported, give the verdicts of the suite on its texts."""

from __future__ import annotations

import pytest

from suites import xsd


def test_all_types_of_the_suite() -> None:
    cases = xsd.cases("xsd-nist")
    if not cases:
        pytest.skip("the suite is not here")
    failed = [case.name for case in cases if not xsd.judge(case).passed]
    assert failed == sorted(xsd.EXCUSED)


def test_documents_have_lists_unions_and_facets() -> None:
    of = {"base": {"list": {"union": ["xs:int", "xs:date"]}}, "facets": [["length", "2"]]}
    assert "".join(xsd.document([("a", of)]).split()) == (
        '<xs:schemaxmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:simpleTypename="a">'
        "<xs:restriction><xs:simpleType><xs:list><xs:simpleType><xs:union><xs:simpleType>"
        '<xs:restrictionbase="xs:int"/></xs:simpleType><xs:simpleType>'
        '<xs:restrictionbase="xs:date"/></xs:simpleType></xs:union></xs:simpleType></xs:list>'
        '</xs:simpleType><xs:lengthvalue="2"/></xs:restriction></xs:simpleType></xs:schema>'
    )
